/** A file as a request brings it. */
export interface IncomingFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  stream(): AsyncIterable<Uint8Array>;
}
