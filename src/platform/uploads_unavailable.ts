/** The store of uploaded files does not answer, or does not let this server in: nobody who uploads can mend that. */
export class UploadsAway extends Error {
  override name = 'UploadsAway';
}
