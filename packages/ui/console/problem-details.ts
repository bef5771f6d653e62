import type { ProblemCode } from '@windlass/contracts/problems.ts'
import { byLanguage } from '../catalogue.ts'
import { formatDateTime } from '../formats.ts'
import { explainProblemsBy } from './errors.ts'

type Words = Partial<Record<ProblemCode, string>>

/*
 * What to do about a problem, where the reader's language is not that of the services (English). The services' own words
 * name values, so where those matter they follow.
 */

/** Nothing of the services' words is missing here. */
const whole = byLanguage<Words>(
  {},
  {
    unauthenticated: 'Inicie sesión y repita la acción.',
    'login-failed': 'El nombre de usuario o la contraseña son incorrectos.',
    'code-not-accepted': 'El código es incorrecto, ya se usó o ha caducado. Pida uno nuevo.',
    'confirmation-needed':
      'Confirme que es usted, con un código nuevo o con su contraseña, y repita la acción.',
    'confirmation-refused':
      'El código o la contraseña no son correctos. Si su cuenta tiene un segundo factor, use ese.',
    'second-factor-refused':
      'El segundo factor es incorrecto, ya se usó o ha caducado. Reintente o use otro.',
    'second-factor-required': 'Añada primero otro segundo factor.',
    'too-many-requests': 'Espere un momento y reintente.',
    'internal-error':
      'Reintente. Si el error continúa, contacte con soporte e indique el ID de la solicitud.',
    'dependency-unavailable': 'Reintente en un momento.',
    'settings-changed':
      'Otra persona hizo un cambio mientras tanto. Vuelva a mirarlo y repita el suyo si hace falta.',
    'subdomain-taken': 'Elija otro subdominio.',
    'last-owner': 'Haga antes propietaria a otra persona.',
    'wallet-taken': 'Si la billetera es suya, contacte con soporte.',
    'no-payouts-waiting': 'Ningún pago con una cuenta completa espera un archivo.',
    'payout-file-changed':
      'Algo del archivo cambió después de que usted lo mirara. Mire los pagos otra vez y apruébelo entonces.',
    'case-not-decided': 'Decida primero sobre la coincidencia.',
  },
)

/** The services' words follow. */
const introductions = byLanguage<Words>(
  {},
  {
    'validation-failed': 'Corrija estos valores y envíe de nuevo.',
    'second-person-needed':
      'Usted lo pidió, o tiene su rol desde hace menos de un día. Lo aprueba otra persona que pueda hacerlo.',
    'second-person-waits': 'Otra persona que pueda hacerlo tiene que aprobarlo.',
    'statement-refused':
      'No se contó nada. Descargue el extracto de nuevo de su banco, o corrija lo indicado.',
    'statement-already-read': 'No cambió nada.',
    'payout-file-invalid': 'No se creó el archivo. Corrija lo indicado.',
    'rail-account-wrong': 'Corrija la cuenta en Ajustes.',
    'action-not-possible': 'La transacción cambió, o falta algo antes.',
    'statements-missing': 'Suba primero los extractos que faltan.',
    'sanctions-list-refused': 'La lista anterior sigue contando.',
    'anchor-wrong-state': 'Espere a que termine, o mire el estado del anchor.',
  },
)

/** What the title alone says. */
const byEnding = byLanguage<readonly [RegExp, string][]>(
  [],
  [
    [
      /-not-found$/,
      'Compruebe la dirección o el ID, o vuelva a cargar la página: puede que otra persona lo haya quitado.',
    ],
    [/-(decided|closed)$/, 'Otra persona ya decidió. Vuelva a cargar la página.'],
    [/^session-/, 'Inicie sesión de nuevo.'],
  ],
)

/** Where there is no sentence of ours, such as for a problem of a later release. */
const inEnglish = byLanguage<string | undefined>(undefined, 'El servicio lo explica en inglés:')

/** A service writes times in UTC, for programs too: `2026-11-20T10:00:00.000Z`. */
const withReadersTimes = (sentence: string): string =>
  sentence.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, formatDateTime)

/** What to do, in the reader's language, and what the service said where that says more. */
explainProblemsBy((code, detail) => {
  const known = code as ProblemCode
  const sentence = whole[known] ?? byEnding.find(([ending]) => ending.test(code))?.[1]
  if (sentence) return { detail: sentence }
  const said = withReadersTimes(detail)
  const introduction = introductions[known] ?? inEnglish
  return introduction ? { detail: introduction, original: said } : { detail: said }
})
