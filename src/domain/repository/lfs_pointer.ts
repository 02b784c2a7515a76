/** A file that git keeps elsewhere. */
export interface LfsPointer {
  /** SHA-256 of the content. */
  oid: string;
  /** In bytes. */
  size: number;
}

/** Bytes of the smallest and the largest pointer. */
export const POINTER_BYTES = { least: 100, most: 1024 } as const;

const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n$/;

/** What a file points to that is in large file storage (Git LFS); null for others. */
export function parsePointer(content: string): LfsPointer | null {
  const [, oid, size] = (content.length <= POINTER_BYTES.most && POINTER.exec(content)) || [];
  return oid === undefined ? null : { oid, size: Number(size) };
}
