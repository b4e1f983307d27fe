//! Findings of an audit, and the results of its checks.

use serde::Serialize;

use super::{Audit, Audited, ObservedPorts};

/// Result of a check.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, strum::Display)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Visible {
    /// The file shows that the run met the limit.
    Kept,
    /// The file shows a violation.
    Broken,
    /// The file does not show whether the run met the limit.
    NotVisible,
}

/// Subject of a check.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, strum::Display)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Subject {
    /// The recording shows jobs of the task. A trace of a dispatcher shows each job that arrives, and no failed job.
    Jobs,
    /// Releases are far enough apart: k + 1 consecutive releases span at least k·T − J.
    Releases,
    /// Each job ends at most D after its arrival.
    Deadlines,
    /// Each job runs on the GPU for at most its WCET. The gaps between its kernels count, also if the task set leaves them out. With
    /// preemption, the time in a gap during which another job of the partition runs does not count. Without a plan, this is another
    /// job of the set.
    Wcet,
    /// No two jobs of a partition run at the same time.
    Overlap,
    /// All kernels of a partition run in one context, and no other partition uses this context.
    Context,
    /// The context of a partition has the same number of SMs as the partition.
    Size,
    /// The dispatcher always chose the first of the waiting jobs in the order of the policy.
    Order,
    /// The dispatcher never idled while a job waited.
    Idle,
    /// The dispatcher started at most w after an arrival in the idle partition.
    Wake,
    /// Kernels of a partition observed as many SMs as planned, and no SM of another partition.
    Sms,
    /// Each recorded thread block ran on an SM of the partition.
    Blocks,
}

impl Subject {
    /// Subjects that a table shows for each recording, in order.
    pub const ALWAYS: [Subject; 6] = [
        Subject::Releases,
        Subject::Deadlines,
        Subject::Wcet,
        Subject::Overlap,
        Subject::Context,
        Subject::Size,
    ];

    /// Subjects that a table shows for a trace of a dispatcher, after [`ALWAYS`](Subject::ALWAYS).
    pub const DISPATCHED: [Subject; 5] = [
        Subject::Sms,
        Subject::Jobs,
        Subject::Order,
        Subject::Idle,
        Subject::Wake,
    ];

    /// Returns the title of a column.
    pub fn title(self) -> &'static str {
        match self {
            Subject::Jobs => "all jobs",
            Subject::Releases => "releases",
            Subject::Deadlines => "deadlines",
            Subject::Wcet => "WCET",
            Subject::Overlap => "overlap",
            Subject::Context => "context",
            Subject::Size => "context size",
            Subject::Order => "order",
            Subject::Idle => "idle",
            Subject::Wake => "wake-up",
            Subject::Sms => "SM ids",
            Subject::Blocks => "SMs of blocks",
        }
    }
}

/// Result of one check of one task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Check {
    /// Name of the task.
    pub task: String,
    /// Subject of the check.
    pub subject: Subject,
    /// Result of the check.
    pub verdict: Visible,
    /// Number of checked jobs.
    pub jobs: usize,
    /// Smallest distance of a job to the limit [ns]. If a job violates the limit, the value is the largest violation as
    /// a negative number. `null` if there is no limit.
    pub slack_ns: Option<i128>,
}

/// Kind of a finding.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, strum::Display)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum FindingKind {
    /// A job ended after its deadline.
    DeadlineMiss,
    /// A job ran longer than its WCET.
    WcetExceeded,
    /// A job was released too early after an earlier job.
    EarlyRelease,
    /// A kernel ran in the wrong context, or on a stream of another partition, or the context has the wrong size.
    WrongContext,
    /// Kernels of a partition observed another number of SMs than planned, or an SM of another partition. Or a thread block
    /// ran on another SM.
    WrongSms,
    /// A job arrived, but the trace of the dispatcher does not contain it.
    JobMissing,
    /// The work of a job failed.
    JobFailed,
    /// The dispatcher chose a job although another job was before it in the order of the policy.
    WrongOrder,
    /// The dispatcher idled while a job waited.
    Idle,
    /// The dispatcher started later than w after an arrival in the idle partition.
    LateWake,
    /// Two jobs of a partition ran at the same time.
    Overlap,
    /// The file does not contain the data for a check.
    Unknown,
}

/// A violation, or a check for which the file lacks the data.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Finding {
    /// Name of the task.
    pub task: String,
    /// Kind of the finding.
    pub kind: FindingKind,
    /// Subject of the check.
    pub check: Subject,
    /// Number of the job in the recording, from 0.
    pub job: Option<usize>,
    /// Time of the violation, from the start of the recording [ns].
    pub at_ns: Option<u64>,
    /// Amount of the violation [ns].
    pub by_ns: Option<u64>,
    /// Explanation.
    pub detail: String,
}

/// Extent of a replay.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Replay {
    /// Number of replayed decisions.
    pub decisions: usize,
    /// Number of partitions.
    pub partitions: usize,
    /// o: bound on the overhead of a job in the check of WCETs [ns].
    pub overhead_ns: u64,
    /// w: bound on wake-ups [ns]. `null` if the trace states no bound.
    pub wake_ns: Option<u64>,
    /// Time until which the records of all partitions are complete [ns]. `null` if the run did not stop early.
    pub ends_ns: Option<u64>,
}

/// Collects the findings and checks while the audit runs.
pub struct Report {
    origin: i64,
    /// Whether the file lacks records that could show a violation.
    incomplete: bool,
    checks: Vec<Check>,
    findings: Vec<Finding>,
}

/// A violation by a job.
pub struct Violation {
    pub kind: FindingKind,
    /// Position of the job in the jobs of the task after the warm-up.
    pub job: usize,
    /// Time in the recording [ns].
    pub at: i64,
    /// Amount [ns]. `None` if the violation has no amount.
    pub by_ns: Option<u64>,
    pub detail: String,
}

impl Report {
    /// Creates an empty report of a recording that starts at `origin` [ns].
    pub fn new(origin: i64) -> Report {
        Report {
            origin,
            incomplete: false,
            checks: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// Number of checks so far.
    pub fn len(&self) -> usize {
        self.checks.len()
    }

    /// States that the file lacks records that could show a violation.
    pub fn lacks_records(&mut self) {
        self.incomplete = true;
    }

    /// Adds a check whose result the file does not show, with the reason.
    pub fn unknown(&mut self, task: &Audited<'_>, subject: Subject, reason: &str) {
        self.findings.push(Finding {
            task: task.name.clone(),
            kind: FindingKind::Unknown,
            check: subject,
            job: None,
            at_ns: None,
            by_ns: None,
            detail: reason.to_owned(),
        });
        self.check(task, subject, Visible::NotVisible, None);
    }

    /// Adds the result of a check with its violations.
    pub fn checked(
        &mut self,
        task: &Audited<'_>,
        subject: Subject,
        slack_ns: Option<i128>,
        violations: Vec<Violation>,
    ) {
        let doubtful = match subject {
            Subject::Deadlines | Subject::Wcet | Subject::Overlap => true,
            Subject::Order | Subject::Idle | Subject::Wake => true,
            Subject::Releases => task.doubtful_releases,
            Subject::Jobs | Subject::Context | Subject::Size | Subject::Sms | Subject::Blocks => false,
        };
        if let Some(doubt) = task.doubt.as_ref().filter(|_| doubtful && violations.is_empty()) {
            self.incomplete = true;
            self.unknown(task, subject, doubt);
            return;
        }
        let verdict = if violations.is_empty() {
            Visible::Kept
        } else {
            Visible::Broken
        };
        self.check(task, subject, verdict, slack_ns);
        for violation in violations {
            self.findings.push(Finding {
                task: task.name.clone(),
                kind: violation.kind,
                check: subject,
                job: Some(task.dropped + violation.job),
                at_ns: Some(violation.at.abs_diff(self.origin)),
                by_ns: violation.by_ns,
                detail: violation.detail,
            });
        }
    }

    /// Adds a broken check with one violation that belongs to no job of the recording.
    pub fn broken(&mut self, task: &Audited<'_>, subject: Subject, kind: FindingKind, detail: String) {
        self.check(task, subject, Visible::Broken, None);
        self.findings.push(Finding {
            task: task.name.clone(),
            kind,
            check: subject,
            job: None,
            at_ns: None,
            by_ns: None,
            detail,
        });
    }

    fn check(&mut self, task: &Audited<'_>, subject: Subject, verdict: Visible, slack_ns: Option<i128>) {
        self.checks.push(Check {
            task: task.name.clone(),
            subject,
            verdict,
            jobs: task.jobs.len(),
            slack_ns,
        });
    }

    /// Returns the result.
    pub fn finish(
        mut self,
        (planned, unassigned_launches): (bool, usize),
        dropped_jobs: usize,
        (replay, ports): (Option<Replay>, Option<ObservedPorts>),
    ) -> Audit {
        self.findings
            .sort_by_key(|finding| (finding.at_ns.is_none(), finding.at_ns, finding.kind));
        let any = |verdict, subject: Option<Subject>| {
            let mut checks = self.checks.iter();
            checks.any(|check| {
                check.verdict == verdict && subject.is_none_or(|subject| subject == check.subject)
            })
        };
        let verdict = if any(Visible::Broken, None) {
            Visible::Broken
        } else if self.incomplete || any(Visible::NotVisible, Some(Subject::Jobs)) || self.checks.is_empty() {
            Visible::NotVisible
        } else {
            Visible::Kept
        };
        Audit {
            kept: verdict == Visible::Kept,
            verdict,
            planned,
            unassigned_launches,
            dropped_jobs,
            replay,
            ports,
            checks: self.checks,
            findings: self.findings,
        }
    }
}
