var mongoose = require('mongoose');

module.exports = mongoose.model('Tag', new mongoose.Schema({ label: { type: String, required: true } }));
