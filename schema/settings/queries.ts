import { builder } from '#schema/builder.ts';
import { ApplicationSettings } from '#schema/settings/types.ts';
import { readSettings } from '#src/domain/administration/settings/update.ts';

builder.queryFields((t) => ({
  applicationSettings: t.field({
    type: ApplicationSettings,
    description: 'The settings of the whole server, for administrators.',
    resolve: (_root, _args, context) => readSettings(context),
  }),
}));
