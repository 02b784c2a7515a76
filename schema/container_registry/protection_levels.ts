import { builder } from '#schema/builder.ts';
import { values } from '#schema/enums.ts';
import { holderField, type InputFields } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import type { ProtectionRole } from '#src/domain/repository/protections/roles.ts';

export const ContainerProtectionLevel = builder.enumType('ContainerProtectionLevel', {
  description:
    'From which access level on users may change what is protected in the registries of images and packages.',
  values: values<ProtectionRole>({
    MAINTAINER: { value: 'maintainer', description: 'Level 40: masters of the project.' },
    OWNER: { value: 'owner', description: 'Level 50: owners of the project.' },
    ADMIN: { value: 'admin', description: 'Level 60: administrators of the server alone.' },
  }),
});

/** The levels of a rule, in inputs. */
export const levelsOf = (texts: { push: string; delete: string }) => (t: InputFields) => ({
  minimumAccessLevelForPush: t.field({ type: ContainerProtectionLevel, description: texts.push }),
  minimumAccessLevelForDelete: t.field({ type: ContainerProtectionLevel, description: texts.delete }),
});

/** Names a rule of that type, in inputs. */
export const ruleOf = (type: Parameters<typeof idOf>[0]) => (t: InputFields) => ({
  project: holderField(t, 'rule'),
  id: t.field({ ...idOf(type), required: true, description: 'Global or numeric ID of the rule.' }),
});
