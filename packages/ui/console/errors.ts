import { ProblemError } from '@windlass/client/client.ts'
import { byLanguage, catalogue, text } from '../catalogue.ts'

/** A failed request in words for the reader of the screen. */
interface ErrorDescription {
  /** `expired`: the session has ended. `forbidden`: signed in but not allowed. `unreachable`: no answer. */
  kind: 'unreachable' | 'expired' | 'forbidden' | 'missing' | 'refused' | 'broken'
  title: string
  detail: string
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

/** Titles of the problems that people cause or can resolve. Others keep the title in the answer, which is English. */
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
    'application-already-reviewed': 'La solicitud ya fue revisada',
    'invitation-not-found': 'No existe esa invitación',
    'invitation-gone': 'La invitación se usó, se revocó o ha caducado',
    'invitation-not-revocable': 'La invitación ya no se puede cambiar',
    'subdomain-not-allowed': 'Este subdominio no se puede usar',
    'subdomain-taken': 'Este subdominio está ocupado',
    'job-not-found': 'No existe ese trabajo de instalación',
    'job-not-retryable': 'El trabajo de instalación terminó o sigue avanzando',
    'login-failed': 'Las credenciales son incorrectas',
    'code-not-accepted': 'Código incorrecto, usado o caducado',
    'confirmation-refused': 'No se pudo confirmar',
    'role-needed': 'Su rol no lo permite',
    'already-an-administrator': 'Esta persona ya es administradora',
    'second-factor-refused': 'El segundo factor es incorrecto',
    'second-factor-limit': 'No se admite otro factor de este tipo',
    'second-factor-required': 'No se puede quitar el último segundo factor',
    'session-expired': 'La sesión ha terminado',
    'anchor-not-found': 'No existe ese anchor',
    'external-anchor-refused': 'Este anchor no se puede registrar',
    'anchor-wrong-state': 'El estado del anchor no lo permite',
    'release-not-found': 'No existe esa versión',
    'anchor-has-open-transfers': 'El anchor tiene transacciones abiertas',
    'anchor-holds-units': 'El anchor tiene unidades de un activo existente',
    'api-key-not-found': 'No existe esa clave de API',
    'member-not-found': 'No existe ese miembro',
    'already-a-member': 'Esta persona ya es miembro de la organización',
    'last-owner': 'Una organización necesita un propietario',
    'customer-not-found': 'No existe ese cliente',
    'wallet-not-found': 'No existe esa billetera',
    'wallet-taken': 'Otro cliente ha demostrado esta dirección',
    'wallet-already-linked': 'La dirección ya está vinculada',
    'proof-not-accepted': 'La firma no demuestra la billetera',
    'kyc-already-accepted': 'La identidad ya está verificada',
    'transaction-not-found': 'No existe esa transacción',
    'statement-refused': 'El extracto no se puede leer',
    'statement-without-account': 'El extracto no nombra ninguna cuenta',
    'statement-already-read': 'Este extracto ya se leyó',
    'rail-change-waiting': 'Un cambio de la vía de pago espera',
    'rail-change-decided': 'El cambio ya está decidido',
    'rail-account-wrong': 'La cuenta de la vía no es correcta',
    'payout-file-invalid': 'Archivo incorrecto para el banco',
    'no-payouts-waiting': 'Ningún pago espera un archivo',
    'second-person-needed': 'Tiene que aprobarlo una segunda persona',
    'sanctions-list-refused': 'La lista de sanciones no se puede leer',
    'sanctions-list-already-loaded': 'La lista ya está cargada',
    'screening-hit-not-found': 'No existe esa coincidencia',
    'case-not-found': 'No existe ese caso',
    'register-entry-not-found': 'El registro no tiene esa entrada',
    'register-entry-closed': 'La entrada está cerrada',
    'case-closed': 'El caso está cerrado',
    'case-not-decided': 'El caso tiene una coincidencia pendiente',
    'screening-hit-decided': 'Ya se decidió sobre la coincidencia',
    'travel-inquiry-answered': 'Consulta respondida',
    'travel-rule-record-not-found': 'Transacción sin partes guardadas',
    'action-not-found': 'No existe esa acción',
    'action-decided': 'La acción ya está decidida',
    'action-not-possible': 'Esto no se puede hacer ahora',
    'unsupported-pair': 'No hay tipo de cambio para este par',
    'no-eligible-anchor': 'Ningún anchor puede aceptar esta transacción',
    'decision-not-found': 'No existe esa decisión de ruta',
    'policy-not-found': 'No existe esa política de rutas',
  },
)

/** The words of the problem document where there is one: they are written for outside readers. */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof ProblemError) {
    const { code, detail, requestId } = error.problem
    const title = problemTitles[code] ?? error.problem.title
    return { kind: kindOf(error.status), title, detail, ...(requestId ? { requestId } : {}) }
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
