import { findInTar, gunzipped } from '#src/domain/packages/archives/tar.ts';
import { readYamlMap } from '#src/domain/packages/archives/yaml.ts';
import type { Manifest } from '#src/domain/packages/versions.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** What `Chart.yaml` says, with the name and version that it must have. */
export type Chart = Manifest & { name: string; version: string };

/** Bytes of the longest `Chart.yaml`. */
const MAX_CHART_BYTES = 128 * 1024;

/** What the archive of a chart of a project says of itself. Throws BadRequest, Unavailable. */
export async function readChart(projectId: number, content: AsyncIterable<Uint8Array>): Promise<Chart> {
  const found = await findInTar(gunzipped(content), (name) => /^[^/]+\/Chart\.ya?ml$/.test(name));
  if (!found) throw new BadRequest('The archive has no Chart.yaml', 'chart');
  if (found.content.length > MAX_CHART_BYTES) throw new BadRequest('Chart.yaml is too large', 'chart');
  const chart = await readYamlMap(`project ${projectId}`, found.content.toString('utf8'));
  if (!chart) throw new BadRequest('Chart.yaml is not valid', 'chart');
  const { name, version } = chart;
  if (typeof name !== 'string' || typeof version !== 'string')
    throw new BadRequest('Chart.yaml must have a name and a version', 'chart');
  return { ...chart, name, version };
}
