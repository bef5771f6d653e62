import type { Translation } from '../catalogue.ts'
import type { secondFactorTexts } from './second-factor-texts.ts'

export const secondFactor: Translation<typeof secondFactorTexts> = {
  step: {
    title: 'Segundo factor',
    lead: 'Su cuenta tiene un segundo factor. Úselo para terminar de iniciar sesión.',
    enrolTitle: 'Añadir un segundo factor',
    enrolLead:
      'Los administradores de esta plataforma inician sesión también con un segundo factor. Añada una llave de acceso o una aplicación de autenticación para continuar.',
    startOver: 'Iniciar sesión con otra cuenta',
  },
  confirm: {
    title: 'Confirme su identidad',
    lead: 'Inició sesión hace un rato. Confirme que es usted para continuar.',
    cancel: 'Cancelar',
  },
  passkey: {
    use: 'Usar la llave de acceso',
    add: 'Añadir llave de acceso',
    addTitle: 'Añadir una llave de acceso',
    addLead:
      'Su dispositivo o llave de seguridad crea la llave de acceso. Confirme con su huella, su cara, su PIN o tocando la llave.',
    name: {
      label: 'Nombre',
      hint: 'Para distinguir sus llaves de acceso, como «Portátil del trabajo».',
      missing: 'Escriba un nombre',
    },
    declined: 'No se usó ninguna llave de acceso. Reintente o use otro segundo factor.',
    notAdded: 'No se creó ninguna llave de acceso. Reintente o añada una aplicación de autenticación.',
    known: 'Este dispositivo o llave ya tiene una llave de acceso de su cuenta.',
  },
  app: {
    add: 'Añadir aplicación de autenticación',
    addTitle: 'Añadir una aplicación de autenticación',
    addLead:
      'Escanee el código con su aplicación de autenticación o escriba la clave en ella. Después escriba el código que muestra.',
    qr: 'Código QR para la aplicación de autenticación',
    secret: 'Clave',
    secretWhat: 'la clave',
    code: {
      label: 'Código de la aplicación',
      hint: 'Seis dígitos que cambian cada 30 segundos.',
      missing: 'Escriba el código',
    },
    confirm: 'Añadir la aplicación',
    name: 'Aplicación de autenticación',
  },
  code: {
    label: 'Código de su aplicación de autenticación',
    missing: 'Escriba el código',
    use: 'Continuar',
    refused: 'El código es incorrecto o ya se usó. Espere al siguiente y reintente.',
  },
  recovery: {
    lost: 'Usar un código de recuperación',
    back: 'Volver al segundo factor',
    label: 'Código de recuperación',
    hint: 'Uno de los códigos que guardó al añadir un segundo factor. Cada uno sirve una vez.',
    missing: 'Escriba un código de recuperación',
    refused: 'El código es incorrecto o ya se usó.',
    use: 'Continuar',
  },
  codes: {
    title: 'Guarde sus códigos de recuperación',
    lead: 'Con un código de recuperación puede iniciar sesión si pierde su segundo factor. Cada uno sirve una vez. Solo se muestran ahora.',
    what: 'los códigos de recuperación',
    saved: 'He guardado los códigos',
  },
  settings: {
    title: 'Segundo factor',
    lead: 'Una llave de acceso o una aplicación de autenticación protege su cuenta si otra persona consigue su contraseña o lee su correo.',
    none: 'No tiene ningún segundo factor.',
    recoveryCodes: left =>
      left === 1 ? '1 código de recuperación sin usar' : `${left} códigos de recuperación sin usar`,
    replace: 'Crear códigos nuevos',
    replaceTitle: 'Crear códigos de recuperación nuevos',
    replaceLead: 'Los códigos de recuperación anteriores dejan de servir.',
    added: when => `Añadido el ${when}`,
    used: when => `Último uso ${when}`,
    neverUsed: 'Nunca usado',
    remove: 'Quitar',
    removeWhat: name => `Quitar ${name}`,
    removeTitle: name => `Quitar «${name}»`,
    removeLead:
      'Ya no podrá iniciar sesión con él. Los códigos de recuperación terminan con su último segundo factor.',
    failed: 'El segundo factor no se cambió',
  },
  sessions: {
    title: 'Sus sesiones',
    lead: 'Dispositivos en los que ha iniciado sesión. Cierre las sesiones que no reconozca.',
    current: 'Esta sesión',
    seen: when => `Última actividad ${when}`,
    end: 'Cerrar',
    endWhat: what => `Cerrar la sesión de ${what}`,
    unknownDevice: 'Dispositivo desconocido',
    failed: 'La sesión no se cerró',
  },
}
