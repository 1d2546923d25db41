import { Builder } from '../builder/builder.tsx'
import { DatasetScreen } from './dataset.tsx'
import { Datasets } from './datasets.tsx'
import { Run } from './run.tsx'
import { Runs } from './runs.tsx'
import { Schedules } from './schedules.tsx'
import { TaskScreen } from './task.tsx'
import { Tasks } from './tasks.tsx'
import { TemplateScreen } from './template.tsx'
import { Templates } from './templates.tsx'

/**
 * The screens of tasks and of their results, in one file for browsers, because they share most of
 * their parts.
 */
export const workScreens = {
  build: Builder,
  tasks: Tasks,
  task: TaskScreen,
  runs: Runs,
  run: Run,
  datasets: Datasets,
  dataset: DatasetScreen,
  templates: Templates,
  template: TemplateScreen,
  schedules: Schedules,
}
