import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const redeem = catalogue({
  title: text('Launch your anchor', 'Lance su anchor'),
  documentTitle: text('Redeem an invitation', 'Canjear una invitación'),
  leadFor: text(
    (company: string) => `For ${company}. Choose a subdomain, then we set up the anchor.`,
    company => `Para ${company}. Elija un subdominio y después instalamos el anchor.`,
  ),
  validUntil: text(
    (when: string) => `Valid until ${when}. Works once.`,
    when => `Válida hasta el ${when}. Sirve una vez.`,
  ),
  invitedAs: text('Invited as', 'Invitado como'),
  subdomain: {
    label: text('Subdomain', 'Subdominio'),
    hint: text(
      '3 to 63 lower-case letters, digits and hyphens. You cannot change it later.',
      'De 3 a 63 letras minúsculas, dígitos y guiones. No se puede cambiar después.',
    ),
    checking: text('Checking availability', 'Comprobando si está libre'),
    available: text('Available. Your anchor’s address:', 'Libre. La dirección de su anchor:'),
    unknown: text(
      'Availability could not be checked. It is checked again when you continue.',
      'No se pudo comprobar si está libre. Se comprueba otra vez al continuar.',
    ),
    tooShort: text(
      (length: number) => `Add at least ${3 - length} more ${length === 2 ? 'character' : 'characters'}`,
      length => `Añada al menos ${3 - length} ${length === 2 ? 'carácter' : 'caracteres'} más`,
    ),
    badCharacter: text(
      (character: string) => `“${character}” is not allowed. Use lower-case letters, digits and hyphens.`,
      character => `«${character}» no se admite. Use letras minúsculas, dígitos y guiones.`,
    ),
    hyphenAtEnd: text(
      'Start and end with a letter or digit, not with a hyphen',
      'Empiece y termine con una letra o un dígito, no con un guion',
    ),
    missing: text('Enter a subdomain', 'Escriba un subdominio'),
  },
  fullName: {
    label: text('Your full name', 'Su nombre completo'),
    missing: text('Enter your full name', 'Escriba su nombre completo'),
  },
  password: {
    label: text('Password', 'Contraseña'),
    hint: text(
      'You sign in with a code sent by email. The password confirms sensitive changes.',
      'Inicia sesión con un código enviado por correo. La contraseña confirma los cambios delicados.',
    ),
    tooShort: text(
      'The password needs at least 8 characters',
      'La contraseña necesita al menos 8 caracteres',
    ),
    tooLong: text(
      'The password has at most 256 characters',
      'La contraseña tiene como máximo 256 caracteres',
    ),
  },
  send: text('Launch anchor', 'Lanzar el anchor'),
  failed: text('The invitation was not redeemed', 'La invitación no se canjeó'),
  none: {
    title: text('Redeem an invitation', 'Canjear una invitación'),
    lead: text(
      'Open the link in the email that approved your application, or paste it here.',
      'Abra el enlace del correo que aprobó su solicitud o péguelo aquí.',
    ),
    label: text('Invitation link or token', 'Enlace o código de la invitación'),
    missing: text('Paste the link or the token from your email', 'Pegue el enlace o el código de su correo'),
    go: text('Continue', 'Continuar'),
  },
  refused: {
    unknown: {
      title: text('Invitation not found', 'Invitación no encontrada'),
      detail: text(
        'The link may be incomplete. Copy the whole link from the email and paste it.',
        'Puede que el enlace esté incompleto. Copie el enlace entero del correo y péguelo.',
      ),
    },
    used: {
      title: text('Invitation already used', 'Invitación ya usada'),
      detail: text(
        'An invitation works once, and this one launched an anchor. If that was you, sign in to find the anchor in your workspaces.',
        'Una invitación sirve una vez, y esta lanzó un anchor. Si fue usted, inicie sesión para encontrar el anchor en sus espacios.',
      ),
    },
    revoked: {
      title: text('Invitation revoked', 'Invitación revocada'),
      detail: text(
        'If you received a newer email, use its link. Otherwise contact us.',
        'Si recibió un correo más nuevo, use su enlace. Si no, contáctenos.',
      ),
    },
    expired: {
      title: text('Invitation expired', 'Invitación caducada'),
      detail: text(
        'Invitations are valid for seven days. Contact us to receive a new one.',
        'Las invitaciones son válidas durante siete días. Contáctenos para recibir una nueva.',
      ),
    },
    gone: {
      title: text('Invitation no longer valid', 'La invitación ya no es válida'),
      detail: text('Contact us to receive a new one.', 'Contáctenos para recibir una nueva.'),
    },
  },
  another: text('Use another link', 'Usar otro enlace'),
})
