import { scores, type PerScore } from '@windlass/contracts/routing.ts'

/** Weights as they are typed. */
export type TypedWeights = PerScore<string>

const MILLION = 1_000_000

/** Millionths, so that 0.1 + 0.2 is 0.3; nothing where it is no weight. */
export function millionths(text: string): number | undefined {
  if (!/^(0|1)(\.\d{1,6})?$/.test(text)) return undefined
  const value = Math.round(Number(text) * MILLION)
  return value <= MILLION ? value : undefined
}

/** The sum in millionths; nothing while one of them is no weight. */
export function sumOf(weights: TypedWeights): number | undefined {
  const values = scores.map(({ name }) => millionths(weights[name]))
  return values.includes(undefined) ? undefined : values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
}

export const isWhole = (weights: TypedWeights): boolean => sumOf(weights) === MILLION

export const shownSum = (millionth: number): string => String(millionth / MILLION)
