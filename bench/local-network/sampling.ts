export async function inParallel(count: number, act: (index: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => act(index)))
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** @param part from 0 to 1 */
export function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * part) - 1)] ?? 0
}
