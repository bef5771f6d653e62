/** Asset units that are issued to the distribution account, and the most that an anchor can have. */
export const ISSUED = '1000000'
