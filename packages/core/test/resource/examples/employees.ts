import { role } from '@create-api/core'
import {
  defineListQuery,
  defineView,
  objectId,
  restrict,
  toOutputSchema,
  toPatchSchema,
} from '@create-api/core/resource'
import { z } from 'zod'

export const createEmployee = z.strictObject({
  name: z.string().min(1).max(100),
  salary: restrict(z.number().min(0).default(0), { readable: role('admin') }),
  grade: restrict(z.string().max(10), { writable: role('admin') }),
  manager: objectId.optional(),
})

export const patchEmployee = toPatchSchema(createEmployee)
export const employee = toOutputSchema(createEmployee)

export const employeeView = defineView(employee, {
  fields: ['name', 'salary', 'grade'],
  include: { manager: { response: employee, access: 'user' } },
})

export const listEmployees = defineListQuery(employee, {
  filters: ['name', 'salary'],
  sort: ['name', 'salary'],
  search: ['name'],
  view: employeeView,
})
