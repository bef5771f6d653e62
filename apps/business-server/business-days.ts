/** The business day, as `YYYY-MM-DD`, that is so many after a moment. Holidays are not known here. */
export function addBusinessDays(at: Date, days: number): string {
  const day = new Date(at)
  for (let left = days; left > 0;) {
    day.setUTCDate(day.getUTCDate() + 1)
    if (day.getUTCDay() !== 0 && day.getUTCDay() !== 6) left -= 1
  }
  return day.toISOString().slice(0, 10)
}
