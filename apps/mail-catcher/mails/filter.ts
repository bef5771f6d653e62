import type { Mail } from './mail.ts'

/** Keeps the mails that have every value asked for, each named by its path: `subject=Hello`, `to.address=a@b.c`. */
export function filterMails(mails: Mail[], wanted: Record<string, string | string[]>): Mail[] {
  const conditions = Object.entries(wanted).map(([path, value]) => ({
    path: path.split('.'),
    value: [value].flat(),
  }))
  return mails.filter(mail =>
    conditions.every(({ path, value }) => {
      const found = valuesAt(mail, path)
      return value.every(text => found.some(one => String(one) === text))
    }),
  )
}

function valuesAt(value: unknown, path: string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap(inner => valuesAt(inner, path))
  const [name, ...rest] = path
  if (name === undefined) return [value]
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return []
  return valuesAt((value as Record<string, unknown>)[name], rest)
}
