import { catalogue, text } from '../catalogue.ts'

export const secondFactorTexts = catalogue({
  step: {
    title: text('Second factor', 'Segundo factor'),
    lead: text(
      'Your account has a second factor. Use it to finish signing in.',
      'Su cuenta tiene un segundo factor. Úselo para terminar de iniciar sesión.',
    ),
    enrolTitle: text('Add a second factor', 'Añadir un segundo factor'),
    enrolLead: text(
      'Administrators of this platform sign in with a second factor as well. Add a passkey or an authenticator app to continue.',
      'Los administradores de esta plataforma inician sesión también con un segundo factor. Añada una llave de acceso o una aplicación de autenticación para continuar.',
    ),
    startOver: text('Sign in with another account', 'Iniciar sesión con otra cuenta'),
  },
  confirm: {
    title: text('Confirm your identity', 'Confirme su identidad'),
    lead: text(
      'You signed in a while ago. Confirm it is you to continue.',
      'Inició sesión hace un rato. Confirme que es usted para continuar.',
    ),
    cancel: text('Cancel', 'Cancelar'),
  },
  passkey: {
    use: text('Use passkey', 'Usar la llave de acceso'),
    add: text('Add passkey', 'Añadir llave de acceso'),
    addTitle: text('Add a passkey', 'Añadir una llave de acceso'),
    addLead: text(
      'Your device or security key creates the passkey. You confirm with your fingerprint, face, PIN or by touching the key.',
      'Su dispositivo o llave de seguridad crea la llave de acceso. Confirme con su huella, su cara, su PIN o tocando la llave.',
    ),
    name: {
      label: text('Name', 'Nombre'),
      hint: text(
        'To tell your passkeys apart, such as “Work laptop”.',
        'Para distinguir sus llaves de acceso, como «Portátil del trabajo».',
      ),
      missing: text('Enter a name', 'Escriba un nombre'),
    },
    declined: text(
      'No passkey was used. Retry, or use another second factor.',
      'No se usó ninguna llave de acceso. Reintente o use otro segundo factor.',
    ),
    notAdded: text(
      'No passkey was created. Retry, or add an authenticator app.',
      'No se creó ninguna llave de acceso. Reintente o añada una aplicación de autenticación.',
    ),
    known: text(
      'This device or key already has a passkey for your account.',
      'Este dispositivo o llave ya tiene una llave de acceso de su cuenta.',
    ),
  },
  app: {
    add: text('Add authenticator app', 'Añadir aplicación de autenticación'),
    addTitle: text('Add an authenticator app', 'Añadir una aplicación de autenticación'),
    addLead: text(
      'Scan the code with your authenticator app, or type the key into it. Then enter the code that it shows.',
      'Escanee el código con su aplicación de autenticación o escriba la clave en ella. Después escriba el código que muestra.',
    ),
    qr: text('QR code for the authenticator app', 'Código QR para la aplicación de autenticación'),
    secret: text('Key', 'Clave'),
    secretWhat: text('the key', 'la clave'),
    code: {
      label: text('Code of the app', 'Código de la aplicación'),
      hint: text('Six digits that change every 30 seconds.', 'Seis dígitos que cambian cada 30 segundos.'),
      missing: text('Enter the code', 'Escriba el código'),
    },
    confirm: text('Add app', 'Añadir la aplicación'),
    name: text('Authenticator app', 'Aplicación de autenticación'),
  },
  code: {
    label: text('Code of your authenticator app', 'Código de su aplicación de autenticación'),
    missing: text('Enter the code', 'Escriba el código'),
    use: text('Continue', 'Continuar'),
    refused: text(
      'The code is wrong or was used. Wait for the next code, then retry.',
      'El código es incorrecto o ya se usó. Espere al siguiente y reintente.',
    ),
  },
  recovery: {
    lost: text('Use a recovery code', 'Usar un código de recuperación'),
    back: text('Back to the second factor', 'Volver al segundo factor'),
    label: text('Recovery code', 'Código de recuperación'),
    hint: text(
      'One of the codes that you saved when you added a second factor. Each works once.',
      'Uno de los códigos que guardó al añadir un segundo factor. Cada uno sirve una vez.',
    ),
    missing: text('Enter a recovery code', 'Escriba un código de recuperación'),
    refused: text('The code is wrong or was used.', 'El código es incorrecto o ya se usó.'),
    use: text('Continue', 'Continuar'),
  },
  codes: {
    title: text('Save your recovery codes', 'Guarde sus códigos de recuperación'),
    lead: text(
      'With a recovery code you can sign in when you lose your second factor. Each works once. They are shown only now.',
      'Con un código de recuperación puede iniciar sesión si pierde su segundo factor. Cada uno sirve una vez. Solo se muestran ahora.',
    ),
    what: text('the recovery codes', 'los códigos de recuperación'),
    saved: text('I saved the codes', 'He guardado los códigos'),
  },
  settings: {
    title: text('Second factor', 'Segundo factor'),
    lead: text(
      'A passkey or an authenticator app protects your account when someone else gets your password or reads your email.',
      'Una llave de acceso o una aplicación de autenticación protege su cuenta si otra persona consigue su contraseña o lee su correo.',
    ),
    none: text('You have no second factor.', 'No tiene ningún segundo factor.'),
    recoveryCodes: text(
      (left: number) => `${left} unused recovery ${left === 1 ? 'code' : 'codes'}`,
      left => (left === 1 ? '1 código de recuperación sin usar' : `${left} códigos de recuperación sin usar`),
    ),
    replace: text('Create new codes', 'Crear códigos nuevos'),
    replaceTitle: text('Create new recovery codes', 'Crear códigos de recuperación nuevos'),
    replaceLead: text(
      'Earlier recovery codes stop working.',
      'Los códigos de recuperación anteriores dejan de servir.',
    ),
    added: text(
      (when: string) => `Added ${when}`,
      when => `Añadido el ${when}`,
    ),
    used: text(
      (when: string) => `Last used ${when}`,
      when => `Último uso ${when}`,
    ),
    neverUsed: text('Never used', 'Nunca usado'),
    remove: text('Remove', 'Quitar'),
    removeWhat: text(
      (name: string) => `Remove ${name}`,
      name => `Quitar ${name}`,
    ),
    removeTitle: text(
      (name: string) => `Remove “${name}”`,
      name => `Quitar «${name}»`,
    ),
    removeLead: text(
      'You can no longer sign in with it. Recovery codes end with your last second factor.',
      'Ya no podrá iniciar sesión con él. Los códigos de recuperación terminan con su último segundo factor.',
    ),
    failed: text('The second factor was not changed', 'El segundo factor no se cambió'),
  },
  sessions: {
    title: text('Your sessions', 'Sus sesiones'),
    lead: text(
      'Devices where you are signed in. End sessions you do not recognize.',
      'Dispositivos en los que ha iniciado sesión. Cierre las sesiones que no reconozca.',
    ),
    current: text('This session', 'Esta sesión'),
    seen: text(
      (when: string) => `Last active ${when}`,
      when => `Última actividad ${when}`,
    ),
    end: text('End', 'Cerrar'),
    endWhat: text(
      (what: string) => `End the session of ${what}`,
      what => `Cerrar la sesión de ${what}`,
    ),
    unknownDevice: text('Unknown device', 'Dispositivo desconocido'),
    failed: text('The session was not ended', 'La sesión no se cerró'),
  },
})
