import type { Context } from '#src/access/permissions/actor.ts';
import { findUnrecordedPackageFiles } from '#src/domain/packages/clean_up.ts';
import { packagesStore } from '#src/domain/packages/place.ts';
import type { Finding } from '#src/entrances/fsck/finding.ts';
import { type CheckedProject, FIX } from '#src/entrances/fsck/repository.ts';

type Stores = Pick<Context, 'db' | 'uploads'>;

/** How many rows are read at once. */
const AT_ONCE = 500;

/** Finds recorded files of packages that are missing. */
export async function* checkPackages(stores: Stores, { id, fullPath }: CheckedProject): AsyncGenerator<Finding> {
  const store = packagesStore(stores);
  for (let last = 0; ; ) {
    const rows = await stores.db.packageFile.findMany({
      where: { projectId: id, id: { gt: last } },
      select: {
        id: true,
        secret: true,
        storedAs: true,
        fileName: true,
        package: { select: { name: true, version: true } },
      },
      orderBy: { id: 'asc' },
      take: AT_ONCE,
    });
    for (const { secret, storedAs, fileName, package: pack } of rows) {
      if (await store.has({ projectId: id, secret, fileName: storedAs })) continue;
      yield {
        project: fullPath,
        place: `packages/${id}/${secret}/${storedAs}`,
        what: `The file ${fileName} of package ${pack.name} ${pack.version} is missing.`,
        advice: 'Restore it from a backup, or publish it again.',
      };
    }
    last = rows.at(-1)?.id ?? last;
    if (rows.length < AT_ONCE) return;
  }
}

/** Finds unrecorded files of packages: of interrupted uploads, and of deleted projects. */
export async function* checkPackageFiles(stores: Stores, fix: boolean): AsyncGenerator<Finding> {
  for await (const file of findUnrecordedPackageFiles(stores)) {
    if (fix) await packagesStore(stores).remove(file);
    yield {
      project: null,
      place: `packages/${file.projectId}/${file.secret}/${file.fileName}`,
      what: 'An upload of a package was interrupted and left this. Nothing was lost.',
      advice: FIX,
      isHarmless: true,
      isFixed: fix,
    };
  }
}
