//! Full titles of the sources that the definitions of columns name.

/// Sources with their full titles.
pub const SOURCES: [(&str, &str); 16] = [
    (
        "[Singh21]",
        "J. Singh, Toward predictable execution of real-time workloads on modern GPUs, MSc thesis, University of Illinois Urbana-Champaign, 2021",
    ),
    (
        "[Aghilinasab20]",
        "H. Aghilinasab et al., Dynamic memory bandwidth allocation for real-time GPU-based SoC platforms, IEEE TCAD 39(11), 2020",
    ),
    (
        "Tindell, Burns & Wellings 1994",
        "An extendible approach for analyzing fixed priority hard real-time tasks, Real-Time Systems 6(2)",
    ),
    (
        "Lehoczky 1990",
        "Fixed priority scheduling of periodic task sets with arbitrary deadlines, RTSS",
    ),
    (
        "Davis et al. 2007",
        "Controller area network (CAN) schedulability analysis: refuted, revisited and revised, Real-Time Systems 35(3)",
    ),
    (
        "Spuri 1996",
        "Analysis of deadline scheduled real-time systems, INRIA report 2772",
    ),
    (
        "Bedarkar et al. 2022",
        "From intuition to Coq: a case study in verified response-time analysis of FIFO scheduling, RTSS",
    ),
    (
        "Edmonds 1965",
        "Maximum matching and a polyhedron with 0,1-vertices, J. Res. Nat. Bur. Standards 69B",
    ),
    (
        "Dantzig 1957",
        "Discrete-variable extremum problems, Operations Research 5(2)",
    ),
    (
        "Baruah, Mok & Rosier 1990",
        "Preemptively scheduling hard-real-time sporadic tasks on one processor, RTSS",
    ),
    (
        "George et al. 1996",
        "L. George, N. Rivierre & M. Spuri, Preemptive and non-preemptive real-time uniprocessor scheduling, INRIA report 2966",
    ),
    (
        "Zhang & Burns 2009",
        "Schedulability analysis for real-time systems with EDF scheduling, IEEE Trans. Computers 58(9)",
    ),
    (
        "Davare et al. 2007",
        "Period optimization for hard real-time distributed automotive systems, DAC",
    ),
    (
        "Dürr et al. 2019",
        "End-to-end timing analysis of sporadic cause-effect chains in distributed systems, ACM TECS 18(5s)",
    ),
    (
        "Tindell & Clark 1994",
        "Holistic schedulability analysis for distributed hard real-time systems, Microprocessing and Microprogramming 40",
    ),
    (
        "Palencia & González Harbour 1998",
        "Schedulability analysis for tasks with static and dynamic offsets, RTSS",
    ),
];
