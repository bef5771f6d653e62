/** A function that is made when it is first called. */
export function lazily<A extends unknown[], R>(make: () => (...args: A) => R): (...args: A) => R {
  let made: ((...args: A) => R) | undefined
  return (...args) => (made ??= make())(...args)
}
