/** Where one anchor serves each protocol, all below its public address. The discovery file (SEP-1) names them. */
export function anchorEndpoints(publicUrl: string) {
  return {
    /** WEB_AUTH_ENDPOINT (SEP-10) */
    webAuth: `${publicUrl}/auth`,
    /** WEB_AUTH_FOR_CONTRACTS_ENDPOINT (SEP-45), only where the anchor has a Stellar RPC */
    webAuthForContracts: `${publicUrl}/sep45/auth`,
    /** TRANSFER_SERVER (SEP-6) */
    transferServer: `${publicUrl}/sep6`,
    /** TRANSFER_SERVER_SEP0024 */
    transferServerSep24: `${publicUrl}/sep24`,
    /** DIRECT_PAYMENT_SERVER (SEP-31) */
    directPaymentServer: `${publicUrl}/sep31`,
    /** KYC_SERVER (SEP-12) */
    kycServer: `${publicUrl}/sep12`,
    /** ANCHOR_QUOTE_SERVER (SEP-38) */
    quoteServer: `${publicUrl}/sep38`,
    /** FEDERATION_SERVER (SEP-2) */
    federationServer: `${publicUrl}/federation`,
  } as const
}
export type AnchorEndpoints = Readonly<Record<keyof ReturnType<typeof anchorEndpoints>, string>>
