/** Prints a ratio beside its goal. */
export function report(what: string, ratio: number, goal: { atLeast: number } | { atMost: number }): void {
  const met = 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost
  const wanted = 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`
  console.log(`${met ? 'met    ' : 'MISSED '} ${ratio.toFixed(2)} × (goal ${wanted})  ${what}`)
}
