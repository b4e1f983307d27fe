//! Random end-to-end systems.

use gpusched::generation::WcetModel;
use gpusched::generation::systems::{Configuration, SystemRecipe, SystemSource};
use gpusched::model::Interference;
use gpusched::model::end_to_end::{EnginePolicy, PartitionPolicy, System, Wait};
use gpusched::time::Time;

const CONFIGURATION: Configuration = Configuration {
    wait: Wait::Suspend,
    copy_engine: Some(EnginePolicy::Fifo),
    policy: PartitionPolicy::Fp,
    sms: 16,
    wcet: None,
    overhead: Time::ZERO,
    blocking: Time::ZERO,
};

#[test]
fn cores_have_the_utilization_of_the_point() {
    for set in 0..50 {
        let source = SystemSource::new(&SystemRecipe::default(), 0.6, 1).unwrap();
        let draft = source.draw(3, set).draft(&CONFIGURATION).unwrap();
        let system = System::new(&draft, Interference::None).unwrap();
        for core in 0..4 {
            let of = system.tasks().iter().filter(|task| task.core == Some(core));
            let load = of.map(|task| {
                let time: u64 = task.segments.iter().map(|segment| segment.wcet.ns()).sum();
                time as f64 / task.period.ns() as f64
            });
            let load: f64 = load.sum();
            assert!((load - 0.6).abs() < 1e-6, "{load}");
        }
    }
}

#[test]
fn configurations_have_equal_times() {
    let draw = SystemSource::new(&SystemRecipe::default(), 0.6, 1)
        .unwrap()
        .draw(0, 0);
    let system = |configuration: &Configuration| {
        System::new(&draw.draft(configuration).unwrap(), Interference::None).unwrap()
    };
    let total = |system: &System| -> u64 {
        let segments = system.tasks().iter().flat_map(|task| &task.segments);
        segments.map(|segment| segment.wcet.ns()).sum()
    };
    let engine = system(&CONFIGURATION);
    let core = system(&Configuration {
        copy_engine: None,
        ..CONFIGURATION
    });
    assert_eq!(total(&engine), total(&core));
    for wcet in [WcetModel::Amdahl, WcetModel::Proportional] {
        let function = system(&Configuration {
            wcet: Some(wcet),
            ..CONFIGURATION
        });
        let kernels = engine.tasks().iter().zip(function.tasks());
        for (constant, function) in kernels.flat_map(|(a, b)| a.segments.iter().zip(&b.segments)) {
            assert!((constant.wcet.ns()..=constant.wcet.ns() + 3).contains(&function.wcet.ns()));
        }
    }
    assert!(draw.gpu_tasks() > 0);
}

#[test]
fn bad_recipes_are_refused() {
    let default = SystemRecipe::default;
    let bad = [
        SystemRecipe {
            cores: 0,
            ..default()
        },
        SystemRecipe {
            tasks: (4, 3),
            ..default()
        },
        SystemRecipe {
            periods_ms: (0, 3),
            ..default()
        },
        SystemRecipe {
            gpu_share: 1.5,
            ..default()
        },
        SystemRecipe {
            bcet: (0.5, f64::NAN),
            ..default()
        },
    ];
    for recipe in bad {
        assert!(recipe.check().is_err(), "{recipe:?}");
    }
    assert!(SystemSource::new(&default(), 0.0, 1).is_err());
}
