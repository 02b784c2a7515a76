import { createHash } from 'node:crypto';
import { isRecord, type Raw } from '#src/domain/ci/pipelines/config/base/values.ts';
import type { Ground } from '#src/domain/ci/pipelines/config/look_up.ts';
import type { JobConfig } from '#src/domain/ci/pipelines/config/model.ts';

/** The jobs with the keys of their caches as texts: a key made of files changes with their contents. */
export async function withFileKeys(jobs: readonly JobConfig[], ground: Ground): Promise<JobConfig[]> {
  const known = new Map<string, string>();
  const keyed = async (cache: unknown): Promise<unknown> => {
    if (!isRecord(cache) || !isRecord(cache.key)) return cache;
    const named = JSON.stringify(cache.key);
    const key = known.get(named) ?? (await keyOf(cache.key, ground));
    known.set(named, key);
    return { ...cache, key };
  };
  return Promise.all(
    jobs.map(async (job) => {
      const { cache } = job.options;
      if (cache == null) return job;
      const made = Array.isArray(cache) ? await Promise.all(cache.map(keyed)) : await keyed(cache);
      return { ...job, options: { ...job.options, cache: made } };
    }),
  );
}

async function keyOf({ files, prefix }: Raw, { repository, commit }: Ground): Promise<string> {
  const paths = Array.isArray(files) ? files.map(String) : [];
  const entries = await Promise.all(paths.map((path) => repository.entry(commit, path.replace(/^\/+/, ''))));
  const oids = entries.flatMap((entry) => (entry?.type === 'blob' ? [entry.oid] : []));
  const digest = oids.length === 0 ? 'default' : createHash('sha1').update(oids.join('\n')).digest('hex');
  return prefix == null ? digest : `${String(prefix)}-${digest}`;
}
