/** The store of uploaded files does not answer, or refuses this server. */
export class UploadsUnavailable extends Error {
  override name = 'UploadsUnavailable';
}
