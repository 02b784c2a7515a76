/** The store of uploaded files does not answer, or does not let this server in: nobody who uploads can mend that. */
export class UploadsUnavailable extends Error {
  override name = 'UploadsUnavailable';
}
