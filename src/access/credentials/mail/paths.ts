/** Where the link that confirms an address leads. */
export const CONFIRMATION_PATH = '/users/confirmation';
/** Where the link for a new password leads. */
export const RESET_PATH = '/users/password/edit';
