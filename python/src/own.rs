//! Algorithms in Python, which studies and `partition` call.

use std::sync::{Arc, Mutex, PoisonError};

use gpusched::interference::model_of;
use gpusched::partitioning::Problem;
use gpusched::study::own::{Answer, Fault, OwnAlgorithm, Question, Registry};
use gpusched_model::{Contention, Interference, Policy, TaskSet};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A task set whose WCETs Python asks for, and the test of one partition if an algorithm received the task set.
#[pyclass(frozen)]
pub struct Wcets {
    set: TaskSet,
    /// Policy, interference model, and variation of kernels that run together.
    test: Option<(Policy, Interference, Option<u32>)>,
}

#[pymethods]
impl Wcets {
    /// Reads a task set (JSON).
    #[new]
    fn new(json: &str) -> PyResult<Wcets> {
        let set = serde_json::from_str(json);
        set.map(|set| Wcets { set, test: None })
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Returns the WCET of each task on `sms` SMs [ns], or `None` for a task without a WCET on this number of SMs.
    fn at(&self, sms: u32, conflict: bool) -> Vec<Option<u64>> {
        let contention = match conflict {
            true => Contention::Conflict,
            false => Contention::Isolated,
        };
        let tasks = self.set.tasks().iter();
        tasks
            .map(|task| task.wcet().at(sms, contention).map(|time| time.ns()))
            .collect()
    }

    /// Whether the tasks at the positions `tasks` pass the test in one partition of `sms` SMs. `None` without a test.
    fn accepts(&self, tasks: Vec<usize>, sms: u32) -> PyResult<Option<bool>> {
        let count = self.set.tasks().len();
        if let Some(wrong) = tasks.iter().find(|&&task| task >= count) {
            let message = format!("tasks: found {wrong}, expected positions below {count}");
            return Err(PyValueError::new_err(message));
        }
        let Some((policy, interference, variation)) = self.test else {
            return Ok(None);
        };
        let problem = Problem::new(&self.set, sms, policy, model_of(interference))
            .and_then(|problem| problem.varied(variation));
        let problem = problem.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Some(problem.accepts(&tasks, sms)))
    }
}

/// Exception of a function that ended the command.
pub type Raised = Arc<Mutex<Option<PyErr>>>;

/// A function in Python.
struct Function {
    /// Takes a task set as JSON, its [`Wcets`] and the number of SMs. Returns the answer as JSON.
    function: Py<PyAny>,
    raised: Raised,
}

impl OwnAlgorithm for Function {
    fn answer(&self, question: &Question<'_>) -> Result<Answer, Fault> {
        let json = serde_json::to_string(question.set)?;
        let text = Python::attach(|py| -> PyResult<String> {
            let problem = question.problem;
            let plain = problem.memory().is_none() && problem.overheads().is_none();
            let wcets = Wcets {
                set: question.set.clone(),
                test: { problem.interference_name() }
                    .filter(|_| plain)
                    .map(|interference| (problem.policy(), interference, problem.variation_percent())),
            };
            let answer = self.function.call1(py, (json, wcets, question.problem.sms()))?;
            answer.extract(py)
        });
        match text {
            Ok(text) => Ok(Answer::read(&text)?),
            Err(error) => {
                let message = error.to_string();
                let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
                raised.get_or_insert(error);
                Err(message.into())
            }
        }
    }
}

/// Returns the functions as algorithms: pairs of a name, a version and a function.
pub fn registry(functions: Vec<(String, String, Py<PyAny>)>, raised: &Raised) -> Registry {
    let functions = functions.into_iter();
    functions.fold(Registry::default(), |registry, (name, version, function)| {
        let raised = raised.clone();
        registry.with(name, version, Function { function, raised })
    })
}
