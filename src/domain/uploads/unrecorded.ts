import type { StoredFile, UploadStore } from '#src/domain/uploads/store.ts';

/** Milliseconds after which an unrecorded file is abandoned. */
const ABANDONED = 60 * 60_000;
/** How many files are looked up per statement. */
const BATCH_SIZE = 500;

/**
 * Finds the files of a store that nothing records and that are older than an hour, so that no upload can still record them.
 *
 * @param recorded returns which of some files are recorded
 */
export async function* findUnrecordedFiles(
  store: UploadStore,
  recorded: (files: readonly StoredFile[]) => Promise<readonly { projectId: number; secret: string }[]>,
): AsyncGenerator<StoredFile> {
  let group: StoredFile[] = [];
  const look = async () => {
    const known = new Set((await recorded(group)).map(keyOf));
    return group.filter((file) => !known.has(keyOf(file)));
  };
  for await (const file of store.list()) {
    if (file.storedAt.getTime() > Date.now() - ABANDONED) continue;
    group.push(file);
    if (group.length < BATCH_SIZE) continue;
    yield* await look();
    group = [];
  }
  yield* await look();
}

function keyOf({ projectId, secret }: { projectId: number; secret: string }): string {
  return `${projectId}/${secret}`;
}

/** The secrets of files, for looking up their records. */
export function secretsOf(files: readonly StoredFile[]): { secret: { in: string[] } } {
  return { secret: { in: files.map(({ secret }) => secret) } };
}
