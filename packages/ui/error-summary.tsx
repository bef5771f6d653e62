import { focusField } from './focus-field.ts'
import { Icon } from './icons.tsx'
import { texts } from './texts.ts'
import type { Trouble } from './trouble.ts'

interface ErrorSummaryProps {
  formId: string
  errors: Partial<Record<string, string>>
  trouble: Trouble | undefined
  onFollow?: ((name: string) => void) | undefined
}

/** Takes the focus when a form is refused: what is wrong, each line leading to its field. */
export function ErrorSummary({ formId, errors, trouble, onFollow }: ErrorSummaryProps) {
  const found = Object.entries(errors).filter((entry): entry is [string, string] => Boolean(entry[1]))
  if (found.length === 0 && !trouble) return null
  return (
    <div
      id={`${formId}-problems`}
      role="alert"
      tabIndex={-1}
      data-quiet-focus
      className="rounded-8 border border-bad bg-bad-tint p-4"
    >
      <h2 className="flex items-center gap-2 font-semibold text-bad">
        <Icon name="alert" />
        {trouble ? trouble.title : texts.errorSummary}
      </h2>
      {trouble && <p className="mt-1 text-14">{trouble.detail}</p>}
      {trouble?.requestId && (
        <p className="mt-1 text-13 text-soft">
          {texts.requestId} <code className="font-mono break-all">{trouble.requestId}</code>
        </p>
      )}
      {found.length > 0 && (
        <ul className="mt-2 space-y-1 text-14">
          {found.map(([name, message]) => (
            <li key={name}>
              <a
                href={`#${formId}-${name}`}
                className="text-bad underline underline-offset-3 hover:text-bad-strong"
                onClick={event => {
                  event.preventDefault()
                  if (onFollow) onFollow(name)
                  else focusField(formId, name)
                }}
              >
                {message}
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
