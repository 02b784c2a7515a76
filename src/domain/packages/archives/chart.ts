import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import { loadYaml } from '#src/domain/ci/pipelines/config/yaml/load.ts';
import { findInTar, gunzipped } from '#src/domain/packages/archives/tar.ts';
import type { Manifest } from '#src/domain/packages/versions.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** What `Chart.yaml` says, with the name and version that it must have. */
export type Chart = Manifest & { name: string; version: string };

/** Bytes of the longest `Chart.yaml`. */
const MAX_CHART_BYTES = 128 * 1024;

/** What the archive of a chart says of itself. Throws BadRequest. */
export async function readChart(content: AsyncIterable<Uint8Array>): Promise<Chart> {
  const found = await findInTar(gunzipped(content), (name) => /^[^/]+\/Chart\.ya?ml$/.test(name));
  if (!found) throw new BadRequest('The archive has no Chart.yaml', 'chart');
  if (found.content.length > MAX_CHART_BYTES) throw new BadRequest('Chart.yaml is too large', 'chart');
  const chart = parsed(found.content.toString('utf8'));
  const { name, version } = chart;
  if (typeof name !== 'string' || typeof version !== 'string')
    throw new BadRequest('Chart.yaml must have a name and a version', 'chart');
  return { ...chart, name, version };
}

function parsed(text: string): Manifest {
  try {
    const value = loadYaml(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Manifest;
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
  }
  throw new BadRequest('Chart.yaml is not valid', 'chart');
}
