/* What the program that runs the benchmarks tells each of them, by variables of its environment. */

/** Sizes so small that a run takes a second or two: it shows that the benchmark works, and measures nothing. */
export const isSmoke = process.env.BENCH_SMOKE === '1'

/** Whether a goal can be met or missed here. */
export const isJudged = !isSmoke && process.env.BENCH_JUDGED !== '0'

/** Where rows are written, beside being printed. */
export const rowsFile = process.env.BENCH_ROWS

/** A folder in memory that is removed after the run; undefined where the benchmark runs by itself. */
export const fastFolder = process.env.BENCH_FAST_FOLDER

/** A size of the benchmark, and what it is in a smoke run. */
export const size = (whole: number, smoke: number): number => (isSmoke ? smoke : whole)

/** How often something is repeated within one run, or for how long: less where several runs are recorded, whose spread is shown. */
export const repeats = (whole: number, recorded: number, smoke: number): number =>
  isSmoke ? smoke : process.env.BENCH_RECORDED === '1' ? recorded : whole
