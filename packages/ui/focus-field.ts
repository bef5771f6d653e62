export const fieldId = (formId: string, name: string): string => `${formId}-${name}`

/** Moves the focus to a field, or to the first choice of a group. */
export function focusField(formId: string, name: string): void {
  const field = document.getElementById(fieldId(formId, name))
  const target = field?.matches('fieldset') ? field.querySelector<HTMLElement>('input') : field
  target?.focus()
}
