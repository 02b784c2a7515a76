import { createReadStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { AVATAR } from '#src/domain/project_archives/place.ts';
import type { Page, Phase } from '#src/domain/remote_imports/base/source.ts';
import type { Staging } from '#src/domain/remote_imports/staging.ts';
import { DomainError } from '#src/platform/errors.ts';
import { type RemoteClient, RemoteRefused } from '#src/platform/outbound/remote_client.ts';
import { MAX_AVATAR_BYTES, readPicture } from '#src/platform/pictures.ts';

/** Fetches the picture of a project into the staging; one that is not shown here is left out. */
export function picturePhase(staging: Staging): Phase {
  return {
    name: 'picture',
    part: null,
    async page({ client, project: { pictures } }): Promise<Page> {
      if (pictures.length === 0) return { records: [], next: null, seen: 0 };
      const file = path.join(staging.directory, AVATAR);
      const message = await fetchPicture(client, pictures, `${file}.new`);
      if (message === null) await rename(`${file}.new`, file);
      const leftOut = message === null ? [] : [{ kind: 'picture', name: null, message }];
      return { records: [], leftOut, next: null, seen: 1 };
    },
  };
}

/**
 * Writes a picture to a file.
 *
 * @param urls where it may be: the first that has it counts
 * @returns why there is none; null if there is one
 */
export async function fetchPicture(
  client: RemoteClient,
  urls: readonly string[],
  file: string,
): Promise<string | null> {
  let message: string | null = 'Its address is not valid.';
  for (const url of urls.filter((one) => URL.canParse(one))) {
    try {
      await client.file(new URL(url), file, MAX_AVATAR_BYTES);
      const { size } = await stat(file);
      await readPicture({ size, stream: () => createReadStream(file) });
      return null;
    } catch (error) {
      if (!(error instanceof RemoteRefused) && !(error instanceof DomainError)) throw error;
      await rm(file, { force: true });
      message = error.message;
    }
  }
  return message;
}
