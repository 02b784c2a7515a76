import { chartPublication, requireChannel } from '#src/domain/packages/publications/helm.ts';
import { recordPackage } from '#src/domain/packages/publish.ts';
import { findFileIn, listVersions, type Manifest } from '#src/domain/packages/versions.ts';
import {
  type Answer,
  type Call,
  json,
  placesIn,
  type RegistryRoute,
  sendFile,
  storeFile,
} from '#src/entrances/web/packages/call.ts';

const READS = { method: 'GET', at: ['project'], purpose: 'read_package', ability: 'read_package' } as const;

/** A repository of charts for each channel, and ChartMuseum's API to fill it. */
export const HELM: readonly RegistryRoute[] = [
  {
    ...{ method: 'POST', at: ['project'], path: '/packages/helm/api/:channel/charts' },
    ...{ purpose: 'write_package', ability: 'publish_package', body: { form: 'chart' }, answer: upload },
  },
  { ...READS, path: '/packages/helm/:channel/index.yaml', answer: sendIndex },
  { ...READS, path: '/packages/helm/:channel/charts/:file', answer: sendChart },
];

async function upload(call: Call): Promise<Answer> {
  const { channel = '' } = call.params;
  requireChannel(channel);
  await storeFile(call, 'chart', async (by, stored) =>
    recordPackage(call.context, by, await chartPublication(by.project.id, channel, stored), stored),
  );
  return json({ message: '201 Created', saved: true }, 201);
}

async function sendIndex(call: Call): Promise<Answer> {
  const { channel } = call.params;
  const versions = await listVersions(call.context, await placesIn(call), { type: 'helm' });
  const entries: Record<string, Manifest[]> = {};
  let generated = new Date(0).toISOString();
  for (const { name, manifest, files } of versions) {
    const file = files.findLast(({ details }) => details?.channel === channel);
    if (!file) continue;
    const created = new Date(file.createdAt).toISOString();
    if (created > generated) generated = created;
    const entry = { ...manifest, created, digest: file.sha256, urls: [`charts/${file.fileName}`] };
    entries[name] = [...(entries[name] ?? []), entry];
  }
  const { pathname } = new URL(call.base);
  const index = { apiVersion: 'v1', entries, generated, serverInfo: { contextPath: `${pathname}/packages/helm` } };
  // JSON is YAML, too.
  return { type: 'text/yaml; charset=utf-8', text: JSON.stringify(index) };
}

async function sendChart(call: Call): Promise<Answer> {
  const { channel, file: fileName = '' } = call.params;
  const places = await placesIn(call);
  return sendFile(call, await findFileIn(call.context, places, { type: 'helm', fileName, details: { channel } }));
}
