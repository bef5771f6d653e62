/** Horizon's form of a time: seconds, with a fraction only where there is one. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z')
}
