import { headerColumns } from '#src/domain/webhooks/custom_headers.ts';
import { variableColumns } from '#src/domain/webhooks/url_variables.ts';
import { SECRET, type World } from '../../support/world.ts';

/** A hook that has a header and a part of its URL called `key`; nothing can be sent to it. */
export async function keyedHook(world: World, place: { projectId?: number; namespaceId?: number }) {
  const values = [{ key: 'key', value: 'value' }];
  const kept = { ...headerColumns(values, SECRET), ...variableColumns(values, SECRET) };
  const { id } = await world.db.hook.create({ data: { ...place, ...kept, url: 'https://hooks.invalid/' } });
  return { hook_id: id, key: 'key', value: 'other' };
}
