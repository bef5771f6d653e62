import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const apply: Translation<typeof english.apply> = {
  documentTitle: step => `${step} – Solicitud`,
  steps: {
    company: { title: 'Empresa', lead: 'Quién opera el anchor y cómo le contactamos.' },
    asset: {
      title: 'Activo',
      lead: 'El activo de su anchor. Los campos vacíos usan nuestros valores.',
    },
    rails: {
      title: 'Medios de pago y comisiones',
      lead: 'Qué medios de pago usa, qué cobra y con qué rapidez llegan los pagos.',
    },
    compliance: { title: 'Cumplimiento', lead: 'Dónde tiene licencia y qué países atiende.' },
    check: {
      title: 'Revisar y enviar',
      lead: 'Revise sus respuestas. Todavía puede cambiar cada una.',
    },
  },
  stepOf: (position, all) => `Paso ${position} de ${all}`,
  tasks: 'Su solicitud',
  taskStates: { done: 'Completado', open: 'Opcional', needed: 'Pendiente', error: 'Con errores' },
  draftSaved: time => `Borrador guardado en este dispositivo a las ${time}`,
  draftRestored: time => `Borrador de las ${time} recuperado`,
  draftNotKept: 'Este navegador no guarda borradores. Sus respuestas se pierden al cerrar la página.',
  discard: 'Descartar el borrador',
  next: 'Guardar y continuar',
  back: 'Atrás',
  fields: {
    'companyProfile.name': { label: 'Nombre de la empresa', hint: 'Como está registrado.' },
    'companyProfile.businessEmail': {
      label: 'Correo de la empresa',
      hint: 'Recibe la invitación. Después inicia sesión con él.',
    },
    'companyProfile.contactName': { label: 'Persona de contacto', hint: '' },
    'companyProfile.country': { label: 'País de registro', hint: '' },
    'companyProfile.website': { label: 'Sitio web', hint: '' },
    'companyProfile.registrationNumber': { label: 'Número de registro', hint: '' },
    'stellarConfig.assetCode': {
      label: 'Código del activo',
      hint: 'De 1 a 12 letras y dígitos, como USDX. Si queda vacío, lo tomamos de su subdominio.',
    },
    'stellarConfig.assets.0.issuer': {
      label: 'Emisor',
      hint: 'De un activo existente: la cuenta (G…) que lo emite.',
    },
    'stellarConfig.assetName': {
      label: 'Nombre del activo',
      hint: 'Lo muestran las billeteras, como «Acme Dollar».',
    },
    'stellarConfig.anchoredTo': { label: 'Vinculado a', hint: '' },
    'paymentRails.rails': {
      label: 'Medios de pago',
      hint: 'Elija todos los medios por los que puede enviar y recibir.',
    },
    'paymentRails.settlement': { label: 'Plazo de liquidación', hint: '' },
    'paymentRails.fee.fixed': {
      label: 'Comisión fija',
      hint: 'Por cada transacción, en unidades de su activo.',
    },
    'paymentRails.fee.percentage': { label: 'Comisión porcentual', hint: 'Del importe.' },
    'paymentRails.limits.min': { label: 'Importe mínimo', hint: 'En unidades de su activo.' },
    'paymentRails.limits.max': { label: 'Importe máximo', hint: 'En unidades de su activo.' },
    'compliance.jurisdiction': { label: 'Licencia en', hint: '' },
    'compliance.licenseNumber': { label: 'Número de licencia', hint: '' },
    'compliance.regions': { label: 'Países atendidos', hint: 'India si no elige otro.' },
  },
  addAsset: 'Añadir un activo',
  credentials: {
    title: 'Credenciales de los medios de pago',
    provider: 'Proveedor',
    lead: 'Las cuentas a las que pagan sus clientes. Opcionales en una red de pruebas. Se guardan en el almacén de secretos, no en el borrador, y no se vuelven a mostrar.',
  },
  feeExample: (fee, amount) => `La comisión de una transferencia de ${amount} es ${fee}.`,
  rails: {
    UPI: 'Unified Payments Interface, India',
    IMPS: 'Immediate Payment Service, India',
    NEFT: 'National Electronic Funds Transfer, India',
    SEPA: 'Zona única de pagos en euros',
    ACH: 'Automated Clearing House, Estados Unidos',
  },
  settlements: {
    instant: { label: 'Inmediato', hint: 'Recibe la mayor puntuación de rapidez en las rutas.' },
    under_60_minutes: { label: 'En menos de 60 minutos', hint: '' },
  },
  errors: {
    nameMissing: 'Escriba el nombre de la empresa',
    emailMissing: 'Escriba el correo de la empresa',
    emailWrong: 'Escriba un correo electrónico como nombre@empresa.example',
    websiteWrong: 'Escriba una dirección web como https://empresa.example',
    assetCodeWrong: 'Un código de activo tiene de 1 a 12 letras y dígitos',
    issuerWrong: 'Indique una cuenta (G…)',
    assetTwice: 'Este activo ya está en la lista',
    amountWrong: (what, why) => `${what}: ${why}`,
    percentageWrong: 'Comisión porcentual: escriba un número de 0 a 100',
    limitsCrossed: 'El importe máximo no puede ser menor que el mínimo',
    tooLong: (what, most) => `${what}: use como máximo ${most} caracteres`,
    credentialWrong: (what, why) => `${what}: ${why}`,
  },
}
