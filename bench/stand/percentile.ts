/** By nearest rank. NaN where there are no values, so that no goal counts as met. `part`: from 0 to 1. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)
