import { ProblemError } from '@windlass/client/client.ts'
import { byLanguage, catalogue, text } from '../catalogue.ts'

/** A failed request in words for the reader of the screen. */
interface ErrorDescription {
  /** `expired`: the session has ended. `forbidden`: signed in but not allowed. `unreachable`: no answer. */
  kind: 'unreachable' | 'expired' | 'forbidden' | 'missing' | 'refused' | 'broken'
  title: string
  detail: string
  /** What the service said, in English, where `detail` is in another language and says less. */
  original?: string
  /** Identifies the request for support. */
  requestId?: string
}

/** The words of failures that no problem document describes. */
const failures = catalogue({
  offline: {
    title: text('You are offline', 'No tiene conexión'),
    detail: text(
      'Nothing was sent. Connect to the internet, then retry.',
      'No se envió nada. Conéctese a internet y reintente.',
    ),
  },
  unreachable: {
    title: text('No connection to Windlass', 'Sin conexión con Windlass'),
    detail: text(
      'The service did not respond. Check your connection, then retry.',
      'El servicio no respondió. Compruebe su conexión y reintente.',
    ),
  },
  broken: {
    title: text('An error occurred on this page', 'Ocurrió un error en esta página'),
    detail: text(
      'Reload the page. If the error persists, contact support and describe what you did.',
      'Vuelva a cargar la página. Si el error continúa, contacte con soporte y describa qué hizo.',
    ),
  },
})

/**
 * Titles of the problems that people cause or can resolve. Others keep the title in the answer, which is English. Those of
 * pages with requests are in `problem-titles.ts`: public pages do without.
 */
const problemTitles = byLanguage<Partial<Record<string, string>>>(
  {},
  {
    'validation-failed': 'Faltan valores o hay valores incorrectos',
    unauthenticated: 'Hace falta iniciar sesión',
    forbidden: 'No tiene permiso para esta solicitud',
    'not-found': 'Aquí no hay nada',
    'too-many-requests': 'Demasiadas solicitudes',
    'internal-error': 'Algo falló en nuestro lado',
    'dependency-unavailable': 'Un servicio necesario no está disponible',
    'application-not-found': 'No existe esa solicitud',
    'invitation-not-found': 'No existe esa invitación',
    'invitation-gone': 'La invitación se usó, se revocó o ha caducado',
    'subdomain-not-allowed': 'Este subdominio no se puede usar',
    'subdomain-taken': 'Este subdominio está ocupado',
    'login-failed': 'Las credenciales son incorrectas',
    'code-not-accepted': 'Código incorrecto, usado o caducado',
    'second-factor-refused': 'El segundo factor es incorrecto',
    'session-expired': 'La sesión ha terminado',
  },
)

/** Adds the titles that further pages need. */
export const addProblemTitles = (titles: Partial<Record<string, string>>): unknown =>
  Object.assign(problemTitles, titles)

type Explanation = Pick<ErrorDescription, 'detail' | 'original'>
let explain = (_code: string, said: string): Explanation => ({ detail: said })

/** Sets what further pages say to a problem, instead of the service's own words (`problem-details.ts`). */
export function explainProblemsBy(by: typeof explain): void {
  explain = by
}

/** The words of the problem document where there is one: they are written for outside readers. */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof ProblemError) {
    const { code, detail, requestId } = error.problem
    const title = problemTitles[code] ?? error.problem.title
    return {
      ...{ kind: kindOf(error.status), title, ...explain(code, detail) },
      ...(requestId ? { requestId } : {}),
    }
  }
  // `fetch` throws a TypeError when there is no answer: no network, or the service is down.
  if (error instanceof TypeError) {
    return { kind: 'unreachable', ...(navigator.onLine ? failures.unreachable : failures.offline) }
  }
  return { kind: 'broken', ...failures.broken }
}

/** For a form's `explain`: what failed, under a title that says so. */
export const failedAs =
  (title: string) =>
  (error: unknown): { failure: ErrorDescription } => ({ failure: { ...describeError(error), title } })

/** As {@link failedAs}; values that were refused have their errors at their fields. */
export function refusedAs(title: string) {
  const failed = failedAs(title)
  return (error: unknown): { errors: Record<string, string> } | { failure: ErrorDescription } => {
    const errors = fieldErrorsOf(error)
    return Object.keys(errors).length > 0 ? { errors } : failed(error)
  }
}

function kindOf(status: number): ErrorDescription['kind'] {
  if (status === 401) return 'expired'
  if (status === 403) return 'forbidden'
  if (status === 404 || status === 410) return 'missing'
  return status >= 500 ? 'broken' : 'refused'
}

/** Whether the session has ended or never began. */
export const isSignedOut = (error: unknown): boolean => error instanceof ProblemError && error.status === 401

/** The problem's stable code, where the error is a problem document. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof ProblemError ? error.problem.code : undefined

/** The error of each refused value, by its path in the request (`companyProfile.name`). */
export function fieldErrorsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ProblemError) || !error.problem.errors) return {}
  return Object.fromEntries(
    error.problem.errors.map(({ path, message }) => [pathOf(path), sentence(message)]),
  )
}

const pathOf = (path: string) => path.replace(/^\//, '').replaceAll('/', '.')

const sentence = (message: string) => message.charAt(0).toUpperCase() + message.slice(1)
