import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const roles = catalogue({
  viewer: text('Viewer', 'Lector'),
  operator: text('Operator', 'Operador'),
  owner: text('Owner', 'Propietario'),
})

export const administrators = catalogue({
  title: text('Administrators', 'Administradores'),
  lead: text(
    'People who run this platform, and the role of each.',
    'Las personas que gestionan esta plataforma y el rol de cada una.',
  ),
  columns: {
    name: text('Administrator', 'Administrador'),
    role: text('Role', 'Rol'),
    secondFactor: text('Second factor', 'Segundo factor'),
    lastSignIn: text('Last sign-in', 'Último inicio de sesión'),
    since: text('Since', 'Desde'),
    actions: text('Actions', 'Acciones'),
  },
  you: text(
    (name: string) => `${name} (you)`,
    name => `${name} (usted)`,
  ),
  fromSettings: text('Defined in the settings', 'Definido en la configuración'),
  secondFactor: { yes: text('Active', 'Activo'), no: text('Missing', 'Falta') },
  notLately: text('Not in the last 30 days', 'No en los últimos 30 días'),
  email: {
    label: text('Email', 'Correo electrónico'),
    hint: text(
      'They receive a link that works once and expires after seven days.',
      'Recibe un enlace que sirve una vez y caduca a los siete días.',
    ),
    missing: text('Enter an email address', 'Escriba un correo electrónico'),
    known: text('This person is already an administrator', 'Esta persona ya es administradora'),
  },
  role: {
    label: text('Role', 'Rol'),
    hints: {
      viewer: text('Can see everything.', 'Puede verlo todo.'),
      operator: text(
        'Can also decide on applications, work on anchors and jobs, and change the routing policy.',
        'Además puede decidir sobre solicitudes, trabajar con anchors y trabajos, y cambiar la política de rutas.',
      ),
      owner: text(
        'Can also invite, change and remove administrators.',
        'Además puede invitar, cambiar y quitar administradores.',
      ),
    },
  },
  invite: text('Invite administrator', 'Invitar a un administrador'),
  invited: text(
    (email: string) => `Invitation sent to ${email}`,
    email => `Invitación enviada a ${email}`,
  ),
  change: text('Change role', 'Cambiar el rol'),
  changeOf: text(
    (name: string) => `Change role of ${name}`,
    name => `Cambiar el rol de ${name}`,
  ),
  changeLead: text(
    'The new role applies from their next request.',
    'El nuevo rol se aplica desde su próxima solicitud.',
  ),
  reset: text('Reset second factor', 'Restablecer el segundo factor'),
  resetOf: text(
    (name: string) => `Reset second factor of ${name}`,
    name => `Restablecer el segundo factor de ${name}`,
  ),
  resetLead: text(
    'For someone who lost their second factor and every recovery code. Confirm who is asking, for example by calling a number that you know. Their sessions end.',
    'Para alguien que perdió su segundo factor y todos sus códigos de recuperación. Confirme quién lo pide, por ejemplo llamando a un número que conozca. Se cierran sus sesiones.',
  ),
  reason: {
    label: text('Reason', 'Motivo'),
    hint: text('Recorded in the audit log.', 'Queda en el registro de auditoría.'),
    missing: text('Enter a reason', 'Escriba un motivo'),
  },
  remove: text('Remove', 'Quitar'),
  removeOf: text(
    (name: string) => `Remove ${name}`,
    name => `Quitar a ${name}`,
  ),
  removeLead: text(
    'Their sessions end at once, and the invitations they sent stop working.',
    'Sus sesiones se cierran de inmediato y las invitaciones que envió dejan de servir.',
  ),
  failed: text('The change was not saved', 'El cambio no se guardó'),
  invitations: {
    title: text('Open invitations', 'Invitaciones abiertas'),
    columns: {
      email: text('Email', 'Correo electrónico'),
      role: text('Role', 'Rol'),
      invitedBy: text('Invited by', 'Invitado por'),
      expires: text('Expires', 'Caduca'),
      actions: text('Actions', 'Acciones'),
    },
    revoke: text('Revoke', 'Revocar'),
    revokeOf: text(
      (email: string) => `Revoke the invitation for ${email}`,
      email => `Revocar la invitación de ${email}`,
    ),
  },
  accept: {
    title: text('Accept your invitation', 'Acepte su invitación'),
    lead: text(
      (invitedBy: string, role: string) => `${invitedBy} invites you to administer this platform as ${role}.`,
      (invitedBy, role) => `${invitedBy} le invita a administrar esta plataforma como ${role}.`,
    ),
    invitedAs: text('You sign in as', 'Iniciará sesión como'),
    name: {
      label: text('Full name', 'Nombre completo'),
      missing: text('Enter your name', 'Escriba su nombre'),
    },
    send: text('Create account', 'Crear la cuenta'),
    failed: text('The account was not created', 'La cuenta no se creó'),
    gone: {
      title: text('This invitation cannot be used', 'Esta invitación no se puede usar'),
      detail: text(
        'It was already used, was revoked, or has expired. Ask an owner of the platform for a new one.',
        'Ya se usó, se revocó o ha caducado. Pida una nueva a un propietario de la plataforma.',
      ),
    },
    none: text('Open the link in your invitation email.', 'Abra el enlace del correo de su invitación.'),
    done: text('Account created', 'Cuenta creada'),
    doneDetail: text(
      'Sign in with your email address and the password you chose.',
      'Inicie sesión con su correo electrónico y la contraseña que eligió.',
    ),
    signIn: text('Continue to sign in', 'Continuar al inicio de sesión'),
  },
  password: {
    title: text('Password', 'Contraseña'),
    lead: text('Your other sessions end when you change it.', 'Al cambiarla se cierran sus otras sesiones.'),
    label: text('New password', 'Contraseña nueva'),
    hint: text(
      'At least 12 characters, such as several unrelated words.',
      'Al menos 12 caracteres, por ejemplo varias palabras sin relación.',
    ),
    tooShort: text('Use at least 12 characters', 'Use al menos 12 caracteres'),
    tooLong: text('Use at most 256 characters', 'Use como máximo 256 caracteres'),
    send: text('Change password', 'Cambiar la contraseña'),
    done: text('Password changed', 'Contraseña cambiada'),
  },
})
