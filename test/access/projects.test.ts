import { provePlaces } from './places.ts';
import { projectRules } from './project_rules.ts';

await provePlaces(projectRules);
