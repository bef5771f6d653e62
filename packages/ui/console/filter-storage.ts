const PREFIX = 'windlass.filters.'

/** Where filters of a list are kept in this browser. */
export const filterKey = (list: string): string => PREFIX + list

/** Removes the filters of all lists: people search by names of customers, and name filters after them. */
export function forgetFilters(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key)
  } catch {
    // Without storage none are kept.
  }
}

const OWNER = 'windlass.filters-of'

/** For the person who is signed in now: filters of someone else, whose session merely expired, are removed. */
export function keepFiltersOf(person: string): void {
  try {
    if (localStorage.getItem(OWNER) === person) return
    forgetFilters()
    localStorage.setItem(OWNER, person)
  } catch {
    // Without storage none are kept.
  }
}
