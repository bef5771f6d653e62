import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const roles: Translation<typeof english.roles> = {
  viewer: 'Lector',
  operator: 'Operador',
  owner: 'Propietario',
}

export const administrators: Translation<typeof english.administrators> = {
  title: 'Administradores',
  lead: 'Las personas que gestionan esta plataforma y el rol de cada una.',
  columns: {
    name: 'Administrador',
    role: 'Rol',
    secondFactor: 'Segundo factor',
    lastSignIn: 'Último inicio de sesión',
    since: 'Desde',
    actions: 'Acciones',
  },
  you: name => `${name} (usted)`,
  fromSettings: 'Definido en la configuración',
  secondFactor: { yes: 'Activo', no: 'Falta' },
  notLately: 'No en los últimos 30 días',
  email: {
    label: 'Correo electrónico',
    hint: 'Recibe un enlace que sirve una vez y caduca a los siete días.',
    missing: 'Escriba un correo electrónico',
    known: 'Esta persona ya es administradora',
  },
  role: {
    label: 'Rol',
    hints: {
      viewer: 'Puede verlo todo.',
      operator:
        'Además puede decidir sobre solicitudes, trabajar con anchors y trabajos, y cambiar la política de rutas.',
      owner: 'Además puede invitar, cambiar y quitar administradores.',
    },
  },
  invite: 'Invitar a un administrador',
  invited: email => `Invitación enviada a ${email}`,
  change: 'Cambiar el rol',
  changeOf: name => `Cambiar el rol de ${name}`,
  changeLead: 'El nuevo rol se aplica desde su próxima solicitud.',
  reset: 'Restablecer el segundo factor',
  resetOf: name => `Restablecer el segundo factor de ${name}`,
  resetLead:
    'Para alguien que perdió su segundo factor y todos sus códigos de recuperación. Confirme quién lo pide, por ejemplo llamando a un número que conozca. Se cierran sus sesiones.',
  reason: { label: 'Motivo', hint: 'Queda en el registro de auditoría.', missing: 'Escriba un motivo' },
  remove: 'Quitar',
  removeOf: name => `Quitar a ${name}`,
  removeLead: 'Sus sesiones se cierran de inmediato y las invitaciones que envió dejan de servir.',
  failed: 'El cambio no se guardó',
  invitations: {
    title: 'Invitaciones abiertas',
    columns: {
      email: 'Correo electrónico',
      role: 'Rol',
      invitedBy: 'Invitado por',
      expires: 'Caduca',
      actions: 'Acciones',
    },
    revoke: 'Revocar',
    revokeOf: email => `Revocar la invitación de ${email}`,
  },
  accept: {
    title: 'Acepte su invitación',
    lead: (invitedBy, role) => `${invitedBy} le invita a administrar esta plataforma como ${role}.`,
    invitedAs: 'Iniciará sesión como',
    name: { label: 'Nombre completo', missing: 'Escriba su nombre' },
    send: 'Crear la cuenta',
    failed: 'La cuenta no se creó',
    gone: {
      title: 'Esta invitación no se puede usar',
      detail: 'Ya se usó, se revocó o ha caducado. Pida una nueva a un propietario de la plataforma.',
    },
    none: 'Abra el enlace del correo de su invitación.',
    done: 'Cuenta creada',
    doneDetail: 'Inicie sesión con su correo electrónico y la contraseña que eligió.',
    signIn: 'Continuar al inicio de sesión',
  },
  password: {
    title: 'Contraseña',
    lead: 'Al cambiarla se cierran sus otras sesiones.',
    label: 'Contraseña nueva',
    hint: 'Al menos 12 caracteres, por ejemplo varias palabras sin relación.',
    tooShort: 'Use al menos 12 caracteres',
    tooLong: 'Use como máximo 256 caracteres',
    send: 'Cambiar la contraseña',
    done: 'Contraseña cambiada',
  },
}
