import { amountValueOf } from './amount-value.ts'

/** The value of a field: a text, or the chosen ones of several. */
export type FormValue = string | readonly string[]

/*
 * Public pages are HTML before their script runs. Components that know more in the browser than at build time (a
 * draft, a token in the fragment) first render as built, while `isHydrating()`, at build time too, and update after.
 */
let hydrating = typeof document === 'undefined'
let typed = new Map<string, FormValue | TypedAmount>()

/** What was typed into an amount field, which is read once its language is known. */
interface TypedAmount {
  amount: string
  decimals: number
}

export const isHydrating = (): boolean => hydrating

/** Call before hydration: remembers what was typed into the named fields below `root` so far. */
export function startHydration(root: HTMLElement): void {
  hydrating = true
  typed = readTyped(root)
}

/** Call once the page is hydrated. */
export function endHydration(): void {
  hydrating = false
}

/** The values typed into these fields before hydration. Each value is taken once. */
export function takeTyped(names: readonly string[]): Record<string, FormValue> {
  const found = names.flatMap(name => {
    const value = typed.get(name)
    typed.delete(name)
    if (value === undefined) return []
    const isAmount = typeof value === 'object' && 'amount' in value
    return [[name, isAmount ? amountValueOf(value.amount, value.decimals) : value] as const]
  })
  return Object.fromEntries(found)
}

function readTyped(root: HTMLElement): Map<string, FormValue | TypedAmount> {
  const values = new Map<string, FormValue | TypedAmount>()
  for (const field of root.querySelectorAll<HTMLInputElement>('input[name], textarea[name]')) {
    if (field.type === 'checkbox' || field.type === 'radio') continue
    if (field.value === field.defaultValue) continue
    const { decimals } = field.dataset
    values.set(
      field.name,
      decimals === undefined ? field.value : { amount: field.value, decimals: Number(decimals) },
    )
  }
  for (const field of root.querySelectorAll<HTMLSelectElement>('select[name]')) {
    if (![...field.selectedOptions].every(option => option.defaultSelected))
      values.set(field.name, field.value)
  }
  const choices = [...root.querySelectorAll<HTMLInputElement>('[type=checkbox][name], [type=radio][name]')]
  for (const { name, type } of choices.filter(choice => choice.checked !== choice.defaultChecked)) {
    const checked = choices.filter(choice => choice.name === name && choice.checked).map(({ value }) => value)
    values.set(name, type === 'radio' ? (checked[0] ?? '') : checked)
  }
  return values
}
