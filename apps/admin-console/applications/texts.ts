import type { Settlement } from '@windlass/contracts/aggregator/registry.ts'
import { catalogue, text, type Text } from '@windlass/ui/catalogue.ts'

export const applications = catalogue({
  title: text('Applications', 'Solicitudes'),
  lead: text(
    'Newest first. Press J and K to move between applications, Escape to close one.',
    'Las más nuevas primero. Pulse J y K para pasar de una solicitud a otra y Escape para cerrarla.',
  ),
  status: {
    applied: text('Pending review', 'Pendiente de revisión'),
    approved: text('Approved', 'Aprobada'),
    rejected: text('Rejected', 'Rechazada'),
  },
  columns: {
    company: text('Company', 'Empresa'),
    email: text('Email', 'Correo electrónico'),
    asset: text('Asset', 'Activo'),
    rails: text('Rails', 'Medios de pago'),
    received: text('Received', 'Recibida'),
    status: text('Status', 'Estado'),
  },
  empty: {
    title: text('No applications yet', 'Ninguna solicitud todavía'),
    detail: text(
      'Applications appear here when founders send them.',
      'Las solicitudes aparecen aquí cuando los fundadores las envían.',
    ),
    filtered: text('No application has this status', 'Ninguna solicitud tiene este estado'),
  },
  sections: {
    company: text('Company', 'Empresa'),
    asset: text('Asset', 'Activo'),
    rails: text('Rails and fees', 'Medios de pago y comisiones'),
    compliance: text('Compliance', 'Cumplimiento'),
    review: text('Review', 'Revisión'),
  },
  fields: {
    id: text('Application ID', 'ID de la solicitud'),
    name: text('Name', 'Nombre'),
    businessEmail: text('Business email', 'Correo de la empresa'),
    contactName: text('Contact', 'Contacto'),
    country: text('Country', 'País'),
    website: text('Website', 'Sitio web'),
    registrationNumber: text('Registration number', 'Número de registro'),
    assetCode: text('Asset code', 'Código del activo'),
    furtherAsset: text('Further asset', 'Otro activo'),
    issuer: text('Issuer of the existing asset', 'Emisor del activo existente'),
    assetName: text('Asset name', 'Nombre del activo'),
    anchoredTo: text('Pegged to', 'Vinculado a'),
    rails: text('Rails', 'Medios de pago'),
    settlement: text('Settlement time', 'Plazo de liquidación'),
    fee: text('Fee', 'Comisión'),
    limits: text('Limits', 'Límites'),
    credentials: text('Credentials', 'Credenciales'),
    jurisdiction: text('Licensed in', 'Licencia en'),
    licenseNumber: text('Licence number', 'Número de licencia'),
    regions: text('Countries served', 'Países atendidos'),
    received: text('Received', 'Recibida'),
    reviewed: text('Reviewed', 'Revisada'),
    reason: text('Reason', 'Motivo'),
    invitation: text('Invitation', 'Invitación'),
  },
  credentialsGiven: text('In the secrets store', 'En el almacén de secretos'),
  credentialsNone: text('Not given', 'No indicadas'),
  settlement: {
    instant: text('Instant', 'Inmediato'),
    under_60_minutes: text('Within 60 minutes', 'En menos de 60 minutos'),
  } satisfies Record<Settlement, Text> as Record<string, Text>,
  fee: text(
    (fixed: string, percentage: string) => `${fixed} + ${percentage}`,
    (fixed, percentage) => `${fixed} + ${percentage}`,
  ),
  units: text('units of the asset', 'unidades del activo'),
  limits: text(
    (min: string, max: string) => `${min} to ${max}`,
    (min, max) => `De ${min} a ${max}`,
  ),
  byDefault: text('Platform default', 'Valor de la plataforma'),
  notGiven: text('Not given', 'No indicado'),
  reviewedBy: text(
    (who: string, when: string) => `${who}, ${when}`,
    (who, when) => `${who}, ${when}`,
  ),
  invitation: {
    open: text(
      (until: string) => `Open until ${until}`,
      until => `Abierta hasta el ${until}`,
    ),
    used: text('Redeemed', 'Canjeada'),
    revoked: text('Revoked', 'Revocada'),
    expired: text('Expired', 'Caducada'),
  },
  approve: text('Approve', 'Aprobar'),
  reject: text('Reject', 'Rechazar'),
  reason: {
    label: text('Reason', 'Motivo'),
    hint: text('Sent to the founder by email.', 'Se envía al fundador por correo.'),
    missing: text('Enter a reason', 'Escriba un motivo'),
    tooLong: text('Use at most 2,000 characters', 'Use como máximo 2000 caracteres'),
  },
  confirmReject: text('Reject and notify founder', 'Rechazar y avisar al fundador'),
  reissue: text('Issue new invitation', 'Emitir una invitación nueva'),
  revoke: text('Revoke invitation', 'Revocar la invitación'),
  approved: {
    title: text('Approved', 'Aprobada'),
    detail: text(
      (email: string) =>
        `The link was sent to ${email}. It is displayed here once. To get another link, issue a new invitation.`,
      email =>
        `El enlace se envió a ${email}. Aquí se muestra una sola vez. Para obtener otro, emita una invitación nueva.`,
    ),
    link: text('One-time redeem link', 'Enlace de un solo uso'),
    copy: text('the link', 'el enlace'),
    expires: text(
      (when: string) => `Valid until ${when}. Works once.`,
      when => `Válido hasta el ${when}. Sirve una vez.`,
    ),
  },
  rejected: text(
    'Rejected. The founder is notified by email.',
    'Rechazada. Se avisa al fundador por correo.',
  ),
  alreadyReviewed: {
    title: text('Already reviewed', 'Ya revisada'),
    approved: text(
      (who: string) => `${who} approved this application. You changed nothing.`,
      who => `${who} aprobó esta solicitud. Usted no cambió nada.`,
    ),
    rejected: text(
      (who: string) => `${who} rejected this application. You changed nothing.`,
      who => `${who} rechazó esta solicitud. Usted no cambió nada.`,
    ),
    other: text(
      'Another administrator reviewed this application. You changed nothing.',
      'Otro administrador revisó esta solicitud. Usted no cambió nada.',
    ),
  },
  bulk: {
    approved: text('Approved, link sent by email', 'Aprobada, enlace enviado por correo'),
    rejected: text('Rejected, founder notified', 'Rechazada, fundador avisado'),
  },
  failed: text('The application was not changed', 'La solicitud no se cambió'),
})
