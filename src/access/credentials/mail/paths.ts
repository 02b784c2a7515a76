/** Path of the link that confirms an address. */
export const CONFIRMATION_PATH = '/users/confirmation';
/** Path of the link for a new password. */
export const RESET_PATH = '/users/password/edit';
