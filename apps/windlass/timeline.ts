import { formatSeconds } from './progress.ts'

/** What one part of a start took, in milliseconds since its begin. */
export interface Step {
  name: string
  /** When it could begin: what it needs was there. */
  from: number
  to: number
  /** The part whose end it waited for last. */
  after?: string
}

const WIDTH = 40

/** Steps in the order of their begin, each as a bar, and what the whole of it waited for at last. */
export function timelineOf(steps: readonly Step[]): string[] {
  const end = Math.max(...steps.map(({ to }) => to), 1)
  const place = (at: number) => Math.round((at / end) * WIDTH)
  const name = Math.max(...steps.map(step => step.name.length))
  const lines = steps
    .toSorted((one, other) => one.from - other.from || one.to - other.to)
    .map(step => {
      const bar = '█'.repeat(Math.max(1, place(step.to) - place(step.from)))
      const took = formatSeconds(step.to - step.from).padStart(7)
      const after = step.after === undefined ? '' : `  after ${step.after}`
      return `  ${step.name.padEnd(name)} ${took}  ${(' '.repeat(place(step.from)) + bar).padEnd(WIDTH + 1)}${after}`.trimEnd()
    })
  return [...lines, `  The longest way: ${longestWay(steps).join(', ')}`]
}

/** From the step that ended last back to what it waited for. */
function longestWay(steps: readonly Step[]): string[] {
  const way: Step[] = []
  let step = steps.toSorted((one, other) => other.to - one.to)[0]
  while (step && !way.includes(step)) {
    way.unshift(step)
    const { after } = step
    step = steps.find(each => each.name === after)
  }
  return way.map(each => `${each.name} ${formatSeconds(each.to - each.from)}`)
}
