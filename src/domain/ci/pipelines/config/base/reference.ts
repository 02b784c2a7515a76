/** A value tagged `!reference`: the path of keys that leads to what stands in its place. */
export class Reference {
  readonly path: readonly unknown[];

  constructor(path: readonly unknown[]) {
    this.path = path;
  }
}
