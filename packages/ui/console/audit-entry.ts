import type { AuditEntry } from '@windlass/contracts/platform/administrators.ts'
import { catalogue, text, type Text } from '../catalogue.ts'
import { formatDateTime, formatList } from '../formats.ts'

type Details = AuditEntry['details']

export const auditEntries = catalogue({
  /** What each action did, as the end of a sentence that begins with the actor. */
  phrases: {
    'application.submitted': text('submitted the application', 'envió la solicitud'),
    'application.approved': text('approved the application', 'aprobó la solicitud'),
    'application.rejected': text('rejected the application', 'rechazó la solicitud'),
    'invitation.issued': text('issued an invitation', 'emitió una invitación'),
    'invitation.reissued': text('issued a new invitation', 'emitió una invitación nueva'),
    'invitation.revoked': text('revoked the invitation', 'revocó la invitación'),
    'invitation.redeemed': text('redeemed the invitation', 'canjeó la invitación'),
    'anchor.draft': text('created the anchor', 'creó el anchor'),
    'anchor.provisioning': text('started provisioning', 'inició la instalación'),
    'anchor.active': text('activated the anchor', 'activó el anchor'),
    'anchor.suspended': text('suspended the anchor', 'suspendió el anchor'),
    'anchor.resumed': text('resumed the anchor', 'reanudó el anchor'),
    'anchor.error': text('stopped provisioning after a failure', 'detuvo la instalación tras un fallo'),
    'anchor.removed': text('removed the anchor', 'eliminó el anchor'),
    'anchor.ledger-reset': text(
      'restored the anchor after a ledger reset',
      'restauró el anchor tras un reinicio de la red',
    ),
    'anchor.upgraded': text('upgraded the anchor', 'actualizó el anchor'),
    'anchor.upgrade-failed': text('rolled back an upgrade', 'revirtió una actualización'),
    'anchor.secrets-rotated': text('rotated the anchor’s secrets', 'rotó los secretos del anchor'),
    'anchor.signing-limits-set': text('changed the signing limits', 'cambió los límites de firma'),
    'anchor.test-deposit': text('started a test deposit', 'inició un depósito de prueba'),
    'anchor.upgrade-requested': text('requested an upgrade', 'pidió una actualización'),
    'anchor.closing': text('announced that the anchor closes', 'anunció que el anchor cierra'),
    'anchor.closing-requested': text(
      'asked a second administrator to close the anchor',
      'pidió a un segundo administrador que cierre el anchor',
    ),
    'anchor.closing-approved': text('approved that the anchor closes', 'aprobó que el anchor cierre'),
    'anchor.closing-rejected': text('rejected that the anchor closes', 'rechazó que el anchor cierre'),
    'anchor.removal-requested': text('requested the removal', 'pidió la eliminación'),
    'anchor.removal-refused': text('refused the removal', 'rechazó la eliminación'),
    'anchor.export-key-set': text('set the key of the export', 'fijó la clave de la exportación'),
    'anchor.export-downloaded': text('downloaded the export', 'descargó la exportación'),
    'api-key.made': text('created an API key', 'creó una clave de API'),
    'api-key.rolled': text('rolled an API key', 'reemplazó una clave de API'),
    'api-key.revoked': text('revoked an API key', 'revocó una clave de API'),
    'ledger-incident.resolved': text('resolved a ledger incident', 'resolvió un incidente de la red'),
    'ledger.read-again': text(
      'had the ledger read again from an earlier place',
      'hizo leer la red otra vez desde un lugar anterior',
    ),
    'notification-webhook.added': text('added a notification webhook', 'añadió un webhook de notificaciones'),
    'notification-webhook.removed': text(
      'removed a notification webhook',
      'quitó un webhook de notificaciones',
    ),
    'webhook-endpoint.added': text('added a webhook endpoint', 'añadió un webhook'),
    'webhook-endpoint.removed': text('removed a webhook endpoint', 'quitó un webhook'),
    'webhook-endpoint.tested': text('tested a webhook endpoint', 'probó un webhook'),
    'webhook-delivery.replayed': text('sent a webhook again', 'envió otra vez un webhook'),
    'treasury.settings-changed': text('changed the treasury settings', 'cambió los ajustes de tesorería'),
    'settings.changed': text('changed the settings', 'cambió los ajustes'),
    'logo.uploaded': text('uploaded a logo', 'subió un logotipo'),
    'customer.tier-changed': text('changed the tier of a customer', 'cambió el nivel de un cliente'),
    'reconciliation.started': text(
      'compared journal, ledger and rails',
      'comparó el diario, la red y los medios de pago',
    ),
    'difference.assigned': text('assigned a difference', 'asignó una diferencia'),
    'difference.resolved': text('resolved a difference', 'resolvió una diferencia'),
    'difference.resolution-proposed': text(
      'asked a second person to approve that a difference is resolved',
      'pidió a una segunda persona que apruebe resolver una diferencia',
    ),
    'difference.resolution-rejected': text(
      'rejected that a difference is resolved',
      'rechazó resolver una diferencia',
    ),
    'records.downloaded': text('downloaded records', 'descargó registros'),
    'refused-message.retried': text('sent a refused message again', 'volvió a enviar un mensaje rechazado'),
    'routing-policy.saved': text('saved a routing policy', 'guardó una política de rutas'),
    'routing-policy.activated': text('activated a routing policy', 'activó una política de rutas'),
    'bank-statement.uploaded': text('uploaded a bank statement', 'subió un extracto bancario'),
    'bank-statement.downloaded': text('downloaded a bank’s file', 'descargó un archivo del banco'),
    'opening-balance.requested': text(
      'asked a second person to approve the opening balance of a bank account',
      'pidió a otra persona aprobar el saldo inicial de una cuenta bancaria',
    ),
    'opening-balance.approved': text(
      'approved the opening balance of a bank account',
      'aprobó el saldo inicial de una cuenta bancaria',
    ),
    'opening-balance.rejected': text(
      'rejected the opening balance of a bank account',
      'rechazó el saldo inicial de una cuenta bancaria',
    ),
    'returned-payment.waiting': text(
      'asked a second person to approve that a returned payment is paid again',
      'pidió a una segunda persona que apruebe pagar de nuevo un pago devuelto',
    ),
    'returned-payment.paid-again': text('paid a returned payment again', 'pagó de nuevo un pago devuelto'),
    'returned-payment.approved': text(
      'approved that a returned payment is paid again',
      'aprobó pagar de nuevo un pago devuelto',
    ),
    'returned-payment.rejected': text(
      'rejected that a returned payment is paid again',
      'rechazó pagar de nuevo un pago devuelto',
    ),
    'statement-line.waiting': text(
      'asked a second person to approve what a statement line is',
      'pidió a una segunda persona que apruebe qué es una línea del extracto',
    ),
    'statement-line.decided': text('decided about a statement line', 'decidió sobre una línea del extracto'),
    'statement-line.decision-approved': text(
      'approved a decision about a statement line',
      'aprobó una decisión sobre una línea del extracto',
    ),
    'statement-line.decision-rejected': text(
      'rejected a decision about a statement line',
      'rechazó una decisión sobre una línea del extracto',
    ),
    'statement-line.reversed': text(
      'reversed a decision about a statement line',
      'revirtió una decisión sobre una línea del extracto',
    ),
    'journal-account.changed': text(
      'changed the number or use of an account of the journal',
      'cambió el número o el uso de una cuenta del diario',
    ),
    'journal-settings.changed': text('changed how the journal is kept', 'cambió cómo se lleva el diario'),
    'manual-entry.requested': text(
      'asked a second person to approve an entry of the journal',
      'pidió a una segunda persona que apruebe un asiento del diario',
    ),
    'manual-entry.reversal-requested': text(
      'asked a second person to take an entry of the journal back',
      'pidió a una segunda persona que retire un asiento del diario',
    ),
    'manual-entry.approved': text(
      'approved an entry of the journal, or its reversal',
      'aprobó un asiento del diario o su reversión',
    ),
    'manual-entry.rejected': text(
      'rejected an entry of the journal, or its reversal',
      'rechazó un asiento del diario o su reversión',
    ),
    'manual-entry.document-downloaded': text(
      'downloaded the document of an entry of the journal',
      'descargó el documento de un asiento del diario',
    ),
    'journal.closed': text('closed a period of the journal', 'cerró un periodo del diario'),
    'csv-columns.changed': text(
      'changed how CSV statements are read',
      'cambió cómo se leen los extractos CSV',
    ),
    'payout.account-added': text(
      'added the account of a return, or the holder of a payout’s account',
      'añadió la cuenta de un reembolso o el titular de la cuenta de un pago',
    ),
    'payout.account-approved': text('approved the account of a return', 'aprobó la cuenta de un reembolso'),
    'payout.account-dismissed': text(
      'dismissed the account of a return',
      'descartó la cuenta de un reembolso',
    ),
    'rail.change-requested': text(
      'requested another account for a rail',
      'solicitó otra cuenta para una vía de pago',
    ),
    'rail.change-approved': text(
      'approved another account for a rail',
      'aprobó otra cuenta para una vía de pago',
    ),
    'rail.change-cancelled': text('canceled the change of a rail', 'canceló el cambio de una vía de pago'),
    'payout-file.seen': text(
      'looked at the payments of a payout file',
      'miró los pagos de un archivo de pagos',
    ),
    'payout-file.created': text('created a payout file', 'creó un archivo de pagos'),
    'payout-file.approved': text('approved a payout file', 'aprobó un archivo de pagos'),
    'payout-file.canceled': text('canceled a payout file', 'canceló un archivo de pagos'),
    'payout-file.rejection-requested': text(
      'said that the bank rejected a payout file',
      'indicó que el banco rechazó un archivo de pagos',
    ),
    'payout-file.rejected': text(
      'approved that the bank rejected a payout file',
      'aprobó que el banco rechazó un archivo de pagos',
    ),
    'payout-file.rejection-dismissed': text(
      'dismissed that the bank rejected a payout file',
      'descartó que el banco rechazara un archivo de pagos',
    ),
    'payout-file.downloaded': text('downloaded a payout file', 'descargó un archivo de pagos'),
    'sanctions-list.loaded': text('loaded a sanctions list', 'cargó una lista de sanciones'),
    'sending-anchor.agreed': text(
      'lets an anchor send direct payments',
      'permitió a un anchor enviar pagos directos',
    ),
    'sending-anchor.ended': text(
      'ended the agreement with a sending anchor',
      'terminó el acuerdo con un anchor remitente',
    ),
    'screening-threshold.changed': text(
      'changed the threshold of sanctions screening',
      'cambió el umbral de la comparación con listas de sanciones',
    ),
    'travel-rule.changed': text('changed the travel rule', 'cambió la regla de viaje'),
    'travel-rule.exported': text(
      'exported who sent and who received a transaction',
      'exportó quién envió y quién recibió una transacción',
    ),
    'retention.changed': text('changed how long data is kept', 'cambió cuánto se conservan los datos'),
    'customer-erasure.looked-at': text(
      'looked at what would be kept of a customer',
      'miró lo que se guardaría de un cliente',
    ),
    'customer.erased': text(
      'deleted a customer who asked by letter',
      'eliminó a un cliente que lo pidió por carta',
    ),
    'customer.copied': text('saved all data of a customer', 'guardó todos los datos de un cliente'),
    'country-rules.changed': text('changed the countries served', 'cambió los países atendidos'),
    'travel-provider.entered': text(
      'Provider entered for the travel rule',
      'Proveedor anotado para la regla de viaje',
    ),
    'travel-provider.removed': text(
      'Provider removed for the travel rule',
      'Proveedor eliminado para la regla de viaje',
    ),
    'travel-inquiry.decided': text('Travel rule inquiry decided', 'Consulta de la regla de viaje decidida'),
    'outside-check.changed': text(
      'changed a check by another program',
      'cambió una comprobación de otro programa',
    ),
    'risk-rules.changed': text('changed the risk rules', 'cambió las reglas de riesgo'),
    'customer-rating.reviewed': text('reviewed a customer’s risk', 'revisó el riesgo de un cliente'),
    'velocity-rules.changed': text('changed the velocity rules', 'cambió las reglas de velocidad'),
    'access.reviewed': text('reviewed who has access', 'revisó quién tiene acceso'),
    'auditor.read': text('read, as an auditor,', 'leyó, como auditor,'),
    'evidence.exported': text(
      'exported the evidence of a transaction',
      'exportó la evidencia de una transacción',
    ),
    'report-settings.changed': text(
      'changed what the financial intelligence unit gave',
      'cambió lo que dio la unidad de inteligencia financiera',
    ),
    'beneficial-owner.entered': text(
      'entered a beneficial owner of a customer',
      'anotó un titular real de un cliente',
    ),
    'beneficial-owner.ended': text(
      'ended a beneficial owner of a customer',
      'dio de baja un titular real de un cliente',
    ),
    'register-entry.added': text(
      'entered a complaint or an incident',
      'anotó una reclamación o un incidente',
    ),
    'register-entry.continued': text(
      'added a step to a complaint or an incident',
      'añadió un paso a una reclamación o un incidente',
    ),
    'case.exported': text('made a report about a case', 'hizo un informe de un caso'),
    'case.opened': text('opened a case', 'abrió un caso'),
    'case.noted': text('added a note to a case', 'añadió una nota a un caso'),
    'case.planned': text('assigned a case', 'asignó un caso'),
    'case.closed': text('closed a case', 'cerró un caso'),
    'screening-hit.decided': text(
      'decided about a screening hit',
      'decidió sobre una coincidencia por revisar',
    ),
    'screening-case.exported': text(
      'exported a case of sanctions screening',
      'exportó un caso de la comparación con listas de sanciones',
    ),
    'transaction.action-requested': text(
      'asked a second person to approve an action',
      'pidió a una segunda persona que apruebe una acción',
    ),
    'transaction.action-done': text('acted on a transaction', 'actuó sobre una transacción'),
    'transaction.noted': text('added a note to a transaction', 'añadió una nota a una transacción'),
    'customer.noted': text('added a note to a customer', 'añadió una nota a un cliente'),
    'transaction.action-rejected': text(
      'rejected an action on a transaction',
      'rechazó una acción sobre una transacción',
    ),
    'provisioning.retried': text('retried provisioning', 'reintentó la instalación'),
    'single-sign-on.set': text('set single sign-on', 'configuró el inicio de sesión único'),
    'single-sign-on.removed': text('removed single sign-on', 'quitó el inicio de sesión único'),
    'member.added': text('added a member', 'añadió a un miembro'),
    'member.changed': text('changed the role of a member', 'cambió el rol de un miembro'),
    'member.removed': text('removed a member', 'quitó a un miembro'),
    'administrator.invited': text('invited an administrator', 'invitó a un administrador'),
    'administrator.invitation-revoked': text(
      'revoked the invitation of an administrator',
      'revocó la invitación de un administrador',
    ),
    'administrator.joined': text('accepted the invitation', 'aceptó la invitación'),
    'administrator.role-changed': text(
      'changed the role of an administrator',
      'cambió el rol de un administrador',
    ),
    'administrator.removed': text('removed an administrator', 'quitó a un administrador'),
    'administrator.password-changed': text('changed their password', 'cambió su contraseña'),
    'admin.signed-in': text('signed in', 'inició sesión'),
    'second-factor.added': text('added a second factor', 'añadió un segundo factor'),
    'second-factor.removed': text('removed a second factor', 'quitó un segundo factor'),
    'second-factor.codes-replaced': text('created new recovery codes', 'creó códigos de recuperación nuevos'),
    'second-factor.recovered': text('used a recovery code', 'usó un código de recuperación'),
    'second-factor.reset': text('reset the second factors', 'restableció los segundos factores'),
    'wallet.linked': text('linked a wallet', 'vinculó una billetera'),
    'wallet.waiting': text(
      'signed a customer in with a wallet that waits for them',
      'inició la sesión de un cliente con una billetera que espera su confirmación',
    ),
    'wallet.confirmed': text('confirmed a wallet', 'confirmó una billetera'),
    'wallet.removed': text('refused or removed a wallet', 'rechazó o quitó una billetera'),
    'wallet.unlinked': text('unlinked a wallet', 'desvinculó una billetera'),
    'wallet.proven': text('proved a wallet', 'demostró una billetera'),
    'wallet.outdone': text(
      'ended another customer’s proof of a wallet',
      'anuló la prueba de una billetera de otro cliente',
    ),
    'consent.withdrawn': text('withdrew the access of an anchor', 'retiró el acceso de un anchor'),
    'audit.signing_started': text('began to sign the audit log', 'empezó a firmar el registro de auditoría'),
    'customer.deleted': text('deleted their account', 'eliminó su cuenta'),
    'kyc.decided': text('decided the identity check', 'decidió la verificación de identidad'),
  } as Record<string, Text>,
  /** What another program was asked to do, by how far it is; `done` says what it is once it is done. */
  remote: {
    asked: text(
      (done: string) => `began: “${done}”`,
      done => `empezó: «${done}»`,
    ),
    wanted: text(
      (done: string) => `asked a second person to approve: “${done}”`,
      done => `pidió a una segunda persona que apruebe: «${done}»`,
    ),
    dismissed: text(
      (done: string) => `rejected or took back: “${done}”`,
      done => `rechazó o retiró: «${done}»`,
    ),
    failed: text(
      (done: string) => `was refused: “${done}”`,
      done => `recibió un rechazo: «${done}»`,
    ),
    unknown: text(
      (done: string) => `began, with unknown outcome: “${done}”`,
      done => `empezó, con resultado desconocido: «${done}»`,
    ),
    confirmed: text(
      (done: string) => `was confirmed: “${done}”`,
      done => `quedó confirmado: «${done}»`,
    ),
  },
  recorded: text(
    (action: string) => `recorded “${action}”`,
    action => `registró «${action}»`,
  ),
  values: { yes: text('yes', 'sí'), no: text('no', 'no'), none: text('none', 'ninguno') },
  /** Names of details; others are their keys in words. */
  facts: {
    change: text('Change', 'Cambio'),
    reason: text('Reason', 'Motivo'),
    name: text('Name', 'Nombre'),
    email: text('Email', 'Correo electrónico'),
    role: text('Role', 'Rol'),
    status: text('Status', 'Estado'),
    scopes: text('Scopes', 'Permisos'),
    subdomain: text('Subdomain', 'Subdominio'),
    stage: text('Stage', 'Etapa'),
    amount: text('Amount', 'Importe'),
    rail: text('Rail', 'Medio de pago'),
    url: text('URL', 'URL'),
    events: text('Events', 'Eventos'),
    provider: text('Provider', 'Proveedor'),
    address: text('Address', 'Dirección'),
    version: text('Version', 'Versión'),
    settles: text('Settles entry', 'Resuelve la entrada'),
    account: text('Account', 'Cuenta'),
    action: text('Action', 'Acción'),
    after: text('After', 'Después'),
    before: text('Before', 'Antes'),
    currency: text('Currency', 'Moneda'),
    customerId: text('Customer ID', 'ID del cliente'),
    decision: text('Decision', 'Decisión'),
    direction: text('Direction', 'Sentido'),
    fileName: text('File', 'Archivo'),
    from: text('From', 'Desde'),
    id: text('ID', 'ID'),
    invitationId: text('Invitation ID', 'ID de la invitación'),
    jobId: text('Job ID', 'ID de la instalación'),
    keyId: text('Key ID', 'ID de la clave'),
    kinds: text('Notifications', 'Notificaciones'),
    lines: text('Lines', 'Líneas'),
    network: text('Network', 'Red'),
    newLines: text('New lines', 'Líneas nuevas'),
    newUser: text('New user', 'Usuario nuevo'),
    organizationId: text('Organization ID', 'ID de la organización'),
    sessionId: text('Session ID', 'ID de la sesión'),
    completedAt: text('Completed', 'Terminó'),
    tier: text('Tier', 'Nivel'),
    to: text('To', 'Hasta'),
    transactionId: text('Transaction ID', 'ID de la transacción'),
    userId: text('User ID', 'ID del usuario'),
    what: text('What', 'Qué'),
    travelAddress: text('Travel address', 'Dirección de viaje'),
    accounts: text('Accounts', 'Cuentas'),
    domains: text('Domains', 'Dominios'),
    clientCertificates: text('Certificates of their clients', 'Certificados de sus clientes'),
    authoritySha256: text(
      'File of who signs their server’s certificate (SHA-256)',
      'Archivo de quien firma el certificado de su servidor (SHA-256)',
    ),
    ownCertificateSha256: text(
      'File of the anchor’s certificate (SHA-256)',
      'Archivo del certificado del anchor (SHA-256)',
    ),
  } as Record<string, Text>,
})

/** The end of the sentence; an action of a later version keeps its own name. */
export function phraseOf({ action, details }: Pick<AuditEntry, 'action' | 'details'>): string {
  const [about = '', end = ''] = action.split('.')
  const { phrases, remote, recorded } = auditEntries
  const known = phrases[action]
  if (known) return known
  if (!isRemote(end)) return recorded(action.replaceAll(/[.-]/g, ' '))
  return remote[end](phraseOf({ action: `${about}.${String(details.act)}`, details: {} }))
}

const isRemote = (end: string): end is keyof typeof auditEntries.remote =>
  Object.hasOwn(auditEntries.remote, end)

/** The details by readable name, with before and after as `member → admin`. Of two objects only what differs. */
export function factsOf(details: Details): [name: string, value: string][] {
  const { from, to, before, after, act: _, ...rest } = details
  const [old, next] = [from ?? before, to ?? after]
  const single = { from, to, before, after }
  const change =
    old !== undefined && next !== undefined
      ? differences(old, next, [])
      : Object.entries(single).flatMap(([name, value]) =>
          value === undefined ? [] : leavesOf(value, [nameOf(name)]),
        )
  return [...change, ...Object.entries(rest).flatMap(([name, value]) => leavesOf(value, [nameOf(name)]))]
}

type Fact = [name: string, value: string]

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function differences(old: unknown, next: unknown, path: readonly string[]): Fact[] {
  if (isRecord(old) && isRecord(next))
    return [...new Set([...Object.keys(old), ...Object.keys(next)])].flatMap(key =>
      differences(old[key], next[key], [...path, nameOf(key)]),
    )
  const [was, is] = [textOf(old), textOf(next)]
  return was === is ? [] : [[path.join(' › ') || nameOf('change'), `${was} → ${is}`]]
}

/** Each value of an object by its path. */
const leavesOf = (value: unknown, path: readonly string[]): Fact[] =>
  isRecord(value)
    ? Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...path, nameOf(key)]))
    : [[path.join(' › '), textOf(value)]]

const nameOf = (key: string) => {
  const known = auditEntries.facts[key]
  if (known) return known
  const words = key
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/

function textOf(value: unknown): string {
  const { values } = auditEntries
  if (value === undefined || value === null || value === '') return values.none
  if (typeof value === 'boolean') return value ? values.yes : values.no
  if (Array.isArray(value)) return value.length === 0 ? values.none : formatList(value.map(textOf))
  if (isRecord(value))
    return leavesOf(value, [])
      .map(([name, each]) => `${name} ${each}`)
      .join(', ')
  if (typeof value === 'string') return TIME.test(value) ? formatDateTime(value) : value
  return JSON.stringify(value)
}
