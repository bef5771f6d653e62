export const fieldId = (formId: string, name: string): string => `${formId}-${name}`

/** Leads to a field; in a group of choices to its first. */
export function focusField(formId: string, name: string): void {
  const field = document.getElementById(fieldId(formId, name))
  const target = field?.matches('fieldset') ? field.querySelector<HTMLElement>('input') : field
  target?.focus()
}
