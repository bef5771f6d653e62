import { focusField } from './focus-field.ts'
import { Icon } from './icons.tsx'
import { texts } from './texts.ts'

/** A failed request in words for the reader of the screen. */
export interface ErrorDescription {
  /** `expired`: the session has ended. `forbidden`: signed in but not allowed. `unreachable`: no answer. */
  kind: 'unreachable' | 'expired' | 'forbidden' | 'missing' | 'refused' | 'broken'
  title: string
  detail: string
  /** What the service said, in English, where `detail` is in another language and says less. */
  original?: string
  /** Identifies the request for support. */
  requestId?: string
}

interface ErrorSummaryProps {
  formId: string
  errors: Partial<Record<string, string>>
  failure: ErrorDescription | undefined
  onFollow?: ((name: string) => void) | undefined
}

/** The same page in a new tab asks for the sign-in, so that what was typed here stays. */
export function SignInAgain() {
  return (
    <p className="mt-2 text-14">
      <a href={location.href} target="_blank" rel="noopener" className="link">
        {texts.signInAgain}
      </a>
    </p>
  )
}

/** What happened and what to do, in the reader's language, and what a service said in English. */
export function FailureDetail({ detail, original }: Pick<ErrorDescription, 'detail' | 'original'>) {
  return (
    <>
      <p className="mt-1 text-14">{detail}</p>
      {original && (
        <p lang="en" className="mt-1 text-13">
          {original}
        </p>
      )}
    </>
  )
}

/** Receives the focus when a form is refused. Each line moves the focus to its field. */
export function ErrorSummary({ formId, errors, failure, onFollow }: ErrorSummaryProps) {
  const found = Object.entries(errors).filter((entry): entry is [string, string] => Boolean(entry[1]))
  if (found.length === 0 && !failure) return null
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
        {failure ? failure.title : texts.errorSummary}
      </h2>
      {failure && <FailureDetail {...failure} />}
      {failure?.requestId && (
        <p className="mt-1 text-13 text-soft">
          {texts.requestId} <code className="font-mono break-all">{failure.requestId}</code>
        </p>
      )}
      {failure?.kind === 'expired' && <SignInAgain />}
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
